package mapping

import (
	"fmt"
	"strings"
)

type sourceKind uint8

const (
	fromAttribute  sourceKind = iota // also the body, a key of its own
	fromMember                       // a member inside an attribute; up to here, key is the attribute's
	fromBelow                        // every attribute below a prefix, for shapes
	fromIndexed                      // prefix.N.rest of every N
	fromSpanEvent                    // an attribute of a span event, or a member in it
	fromSpanEvents                   // all span events, for shapes
	fromName                         // the span's name
	fromEvent                        // the record's own event name
	fromScopeName
	fromScopeVersion
	fromResource
	fromTarget // what a target holds so far
	fromStatus
	fromStatusMessage
	fromKind
	fromRoot
	fromLinks
	fromSeverity
	fromElement // a member of the element that an each block is at
	fromParentName
	fromParentScope
	fromChildName // of the first child
	fromLink      // an attribute of the span link that is looked at
	fromAnyWord   // the attribute of any one word, a dot and the rest
	fromRecall    // what an earlier record told
)

// source is where a field or a condition reads. What every record looks at is
// small; the rest is behind a pointer.
type source struct {
	kind sourceKind
	key  int32 // interned attribute key, or index of the resource key
	slot int32 // fromMember: slot of the member in JSON text
	*sourceText
}

type sourceText struct {
	path   []string // fromMember, fromSpanEvent: names inside the value
	prefix string   // fromBelow and fromIndexed, with its dot; fromSpanEvent: the event's name
	rest   string   // fromIndexed: what follows the index; fromSpanEvent: the attribute
	to     *target  // fromTarget
	recall *recall  // fromRecall
}

var noText = &sourceText{}

// parts of a record that a source names with a dollar sign
var partSources = map[string]sourceKind{
	"$name": fromName, "$event": fromEvent, "$scope.name": fromScopeName, "$scope.version": fromScopeVersion,
	"$status": fromStatus, "$status.message": fromStatusMessage, "$kind": fromKind, "$root": fromRoot,
	"$links": fromLinks, "$severity": fromSeverity, "$events": fromSpanEvents,
	"$parent.name": fromParentName, "$parent.scope": fromParentScope, "$child.name": fromChildName,
}

const (
	resourcePrefix = "$resource."
	targetPrefix   = "$target."
	eventsPrefix   = "$events."
	recallPrefix   = "$recall."
	bodyKey        = "$body" // interned like an attribute; no attribute is read under it
)

// source interns what a dialect file wrote.
func (t *Tables) source(text string) (source, error) {
	src, err := t.parseSource(text)
	if src.sourceText == nil {
		src.sourceText = noText
	}
	return src, err
}

func (t *Tables) parseSource(text string) (source, error) {
	if k, ok := partSources[text]; ok {
		return source{kind: k}, nil
	}
	if key, ok := strings.CutPrefix(text, resourcePrefix); ok && key != "" {
		return source{kind: fromResource, key: t.resourceKey(key)}, nil
	}
	if key, ok := strings.CutPrefix(text, targetPrefix); ok {
		if to := t.targets[key]; to != nil {
			return source{kind: fromTarget, sourceText: &sourceText{to: to}}, nil
		}
		return source{}, fmt.Errorf("source %q must name a key of the snapshot or of app.yaml", text)
	}
	if rest, ok := strings.CutPrefix(text, recallPrefix); ok {
		return t.recallSource(text, rest)
	}
	if rest, ok := strings.CutPrefix(text, "?."); ok && rest != "" {
		return source{kind: fromAnyWord, sourceText: &sourceText{rest: "." + rest}}, nil
	}
	if rest, ok := strings.CutPrefix(text, eventsPrefix); ok {
		return eventSource(text, rest)
	}
	if rest, ok := strings.CutPrefix(text, bodyKey+"."); ok {
		text = bodyKey + "#" + rest
	}
	if rest, ok := strings.CutPrefix(text, "."); ok && rest != "" {
		return source{kind: fromElement, sourceText: &sourceText{rest: rest}}, nil
	}
	key, path, isPath := strings.Cut(text, "#")
	if key == "" || strings.HasPrefix(key, "$") && key != bodyKey {
		return source{}, fmt.Errorf("source %q is not known; the parts of a record are %s, %s, %sKEY, %sKEY and %sNAME#KEY",
			text, strings.Join(sortedKeys(partSources), ", "), bodyKey, resourcePrefix, targetPrefix, eventsPrefix)
	}
	if prefix, rest, indexed := strings.Cut(key, "*"); indexed {
		switch {
		case isPath || !strings.HasSuffix(prefix, ".") || strings.Contains(rest, "*") || rest != "" && !strings.HasPrefix(rest, "."):
			return source{}, fmt.Errorf("source %q must be prefix.* or prefix.*.rest", text)
		case rest == "":
			return source{kind: fromBelow, sourceText: &sourceText{prefix: prefix}}, nil
		}
		return source{kind: fromIndexed, sourceText: &sourceText{prefix: prefix, rest: rest}}, nil
	}
	src := source{kind: fromAttribute, key: t.intern(key)}
	if !isPath {
		return src, nil
	}
	src.kind, src.sourceText = fromMember, &sourceText{path: splitPath(path)}
	paths := t.keys[src.key].json
	if paths == nil {
		paths = newJSONPaths()
		t.keys[src.key].json = paths
	}
	leaf, many := paths.atNames(src.path)
	if leaf.slot < 0 {
		leaf.slot = t.jsonSlots
		leaf.many, leaf.key = many, src.key
		t.jsonSlots++
	}
	src.slot = leaf.slot
	return src, nil
}

// eventSource reads NAME#KEY and NAME#KEY#path.
func eventSource(text, rest string) (source, error) {
	parts := strings.SplitN(rest, "#", 3)
	if len(parts) < 2 || parts[0] == "" || parts[1] == "" {
		return source{}, fmt.Errorf("source %q must be %sNAME#KEY or %sNAME#KEY#path", text, eventsPrefix, eventsPrefix)
	}
	src := source{kind: fromSpanEvent, sourceText: &sourceText{prefix: parts[0], rest: parts[1]}}
	if len(parts) == 3 {
		src.path = splitPath(parts[2])
		if src.path == nil {
			src.path = []string{} // the JSON value itself
		}
	}
	return src, nil
}

// splitPath cuts at dots and #; a name in double quotes may hold them.
func splitPath(path string) []string {
	var out []string
	for path != "" {
		if quoted, ok := strings.CutPrefix(path, `"`); ok {
			name, rest, _ := strings.Cut(quoted, `"`)
			out = append(out, name)
			path = rest
			continue
		}
		n := strings.IndexAny(path, ".#")
		if n < 0 {
			return append(out, path)
		}
		if n > 0 {
			out = append(out, path[:n])
		}
		path = path[n+1:]
	}
	return out
}

func (t *Tables) intern(key string) int32 {
	if id, ok := t.ids[key]; ok {
		return id
	}
	id := int32(len(t.keys))
	t.keys = append(t.keys, keyInfo{name: key})
	t.ids[key] = id
	return id
}

func (t *Tables) resourceKey(key string) int32 {
	for i, k := range t.resourceKeys {
		if k == key {
			return int32(i)
		}
	}
	t.resourceKeys = append(t.resourceKeys, key)
	return int32(len(t.resourceKeys) - 1)
}

// indexOf splits N.rest and gives N if rest is what follows.
func indexOf(key, prefix, rest string) (int, bool) {
	mid, ok := strings.CutPrefix(key, prefix)
	if !ok {
		return 0, false
	}
	if mid, ok = strings.CutSuffix(mid, rest); !ok || mid == "" || len(mid) > 9 {
		return 0, false
	}
	n := 0
	for i := 0; i < len(mid); i++ {
		if mid[i] < '0' || mid[i] > '9' {
			return 0, false
		}
		n = 10*n + int(mid[i]-'0')
	}
	return n, true
}

// keyFilter answers most foreign keys without hashing them: by first byte and
// length.
type keyFilter [256]uint64

func (f *keyFilter) add(key string) {
	if key != "" {
		f[key[0]] |= 1 << (min(len(key), 63))
	}
}

func (f *keyFilter) mayHave(key string) bool {
	return key != "" && f[key[0]]&(1<<min(len(key), 63)) != 0
}
