package redact

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"gopkg.in/yaml.v3"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// keyClass says how the value of an attribute key is treated.
type keyClass uint16

const (
	classContent       keyClass = 1 << iota // what people or models wrote
	classPerson                             // a person's id
	classCredential                         // every text under it is a secret
	classStamp                              // app.redaction.*
	classDirty                              // the key itself holds something to replace
	classPlain                              // known to hold text that is no content
	classOpen                               // so is all below it
	classWords                              // a value that is no word of a list is _OTHER
	classAgent                              // says that its item is an agent's
	classDenied                             // removed wherever it stands
	classBaggage                            // a recorded baggage header
	classBaggageMember                      // a member of one that may not pass
	classTracestate                         // a recorded tracestate header
	classTraceparent                        // a recorded traceparent header
	classStep                               // holds the id of a span, its trace before a slash
)

const (
	keyFile       = "keys.yaml"
	maxCachedKeys = 1024
	maxCachedKey  = 160
	maxSecretName = 64
)

// secretNames are the keys of credentials, from rules/keys.yaml.
type secretNames struct {
	Equal    []string `yaml:"equal"`
	End      []string `yaml:"end"`
	Word     []string `yaml:"word"`
	Header   []string `yaml:"header"`
	Harmless []string `yaml:"harmless"`

	equal map[string]bool
}

var loadSecretNames = sync.OnceValues(func() (*secretNames, error) {
	b, err := ruleFiles.ReadFile("rules/" + keyFile)
	if err != nil {
		return nil, err
	}
	n := &secretNames{equal: map[string]bool{}}
	dec := yaml.NewDecoder(bytes.NewReader(b))
	dec.KnownFields(true)
	if err := dec.Decode(n); err != nil {
		return nil, fmt.Errorf("rules/%s: %w", keyFile, err)
	}
	for _, k := range n.Equal {
		n.equal[k] = true
	}
	return n, nil
})

// match reports whether the last part of the key names a credential.
func (n *secretNames) match(key string) bool {
	prefix := key
	key = lastPart(key)
	header := len(prefix) > len(key) && headerFamily(prefix[:len(prefix)-len(key)-1])
	if len(key) > maxSecretName {
		key = key[len(key)-maxSecretName:]
	}
	var buf [maxSecretName]byte
	folded := buf[:0]
	for i := 0; i < len(key); i++ {
		if c := fold(key[i]); c != '-' && c != '_' {
			folded = append(folded, c)
		}
	}
	if n.equal[string(folded)] || endsInAny(folded, n.End) {
		return true
	}
	for _, word := range n.Word {
		if endsInWord(key, word) && !endsInAny(folded, n.Harmless) {
			return true
		}
	}
	for _, word := range n.Header {
		if !header {
			break
		}
		key := strings.TrimRight(key, "-0123456789") // x-hub-signature-256
		if endsInWord(key, word) || strings.EqualFold(key, word) {
			return true
		}
	}
	return false
}

func endsInAny(folded []byte, ends []string) bool {
	for _, end := range ends {
		if len(folded) >= len(end) && string(folded[len(folded)-len(end):]) == end {
			return true
		}
	}
	return false
}

// endsInWord reports whether the key's last word of several is the given one:
// db_pass, dbPass.
func endsInWord(key, word string) bool {
	at := len(key) - len(word)
	if at <= 0 || !foldEqual(key[at:], word) {
		return false
	}
	before, first := key[at-1], key[at]
	return before == '_' || before == '-' || 'a' <= before && before <= 'z' && 'A' <= first && first <= 'Z'
}

// keyCache remembers the class of keys seen. It is read without a lock; a key
// that holds something to replace is never put into it.
type keyCache struct {
	known atomic.Pointer[map[string]keyClass]
	mu    sync.Mutex
}

func (c *keyCache) get(key string) (keyClass, bool) {
	known := c.known.Load()
	if known == nil {
		return 0, false
	}
	class, ok := (*known)[key]
	return class, ok
}

func (c *keyCache) put(key string, class keyClass) {
	if len(key) > maxCachedKey || class&classDirty != 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	old := c.known.Load()
	if old != nil && len(*old) >= maxCachedKeys {
		return
	}
	grown := map[string]keyClass{strings.Clone(key): class} // the batch owns key's bytes
	if old != nil {
		for k, v := range *old {
			grown[k] = v
		}
	}
	c.known.Store(&grown)
}

// lateKeys are the keys of an item in their order. Items of a batch mostly have
// the same ones, and to compare costs less than to look up.
type lateKeys struct {
	next int
	at   [64]struct {
		key   string // the batch owns its bytes
		class keyClass
	}
}

func (l *lateKeys) forget() { clear(l.at[:]) }

// classify says how to treat the value of a key.
func (w *walk) classify(key string) keyClass {
	late := &w.lately.at[w.lately.next%len(w.lately.at)]
	w.lately.next++
	if key == "" || late.key != key {
		late.key, late.class = key, w.lookUp(key)
	}
	return late.class
}

// lookUp answers from the cache, or judges the key.
func (w *walk) lookUp(key string) keyClass {
	if class, ok := w.p.keys.get(key); ok {
		return class
	}
	class := w.p.known(key) | w.p.contextClass(key)
	if w.p.deny.match(key) {
		class |= classDenied
	}
	if semconv.PersonKey(key) || w.p.set.Private.Person(key) {
		class |= classPerson
	}
	if w.p.secretNames != nil && w.p.secretNames.match(key) {
		class |= classCredential
	}
	if w.p.set.RestartTraces && (key == semconv.AppVerifierSubjectID || key == semconv.AppSamplingEvidence) {
		class |= classStep
	}
	switch key {
	case semconv.AppRedactionBoundary, semconv.AppRedactionPolicy, semconv.AppRedactionCount:
		class |= classStamp
	}
	if w.dirty(key) || w.p.set.Unknown != Keep && !keyLike(key, w.p.engine.kinds) {
		class |= classDirty
	}
	w.p.keys.put(key, class)
	return class
}

// known is what registries, rules and settings say of the key.
func (p *Policy) known(key string) (class keyClass) {
	a := p.attributes
	if a.words.match(key) {
		class |= classWords
	}
	_, free := semconv.Known().Match(key)
	switch {
	case semconv.Content().Match(key) || a.content.match(key) || p.content.match(key) || p.set.Private.Content(key):
		class |= classContent
		if !strings.HasPrefix(key, "exception.") {
			class |= classAgent
		}
	case p.allow.match(key):
		class |= classPlain | classOpen
	case key == p.set.TenantKey || free && !a.named.match(key) && !strings.HasSuffix(key, ".id") || a.plain.match(key):
		class |= classPlain
	}
	if strings.HasPrefix(key, "gen_ai.") || key == semconv.AppMappingDialect {
		class |= classAgent
	}
	return class
}
