package mapping

import (
	"errors"
	"sort"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

type signal uint8

const (
	signalSpans signal = iota
	signalLogs
	signalMetrics
	signals
)

func (s signal) String() string { return [...]string{"spans", "logs", "metrics"}[s] }

const operationKey = semconv.GenAIOperationName

// Tables are compiled dialects. They are immutable and safe for concurrent use.
type Tables struct {
	snapshot       string      // the one that telemetry is rewritten to
	into           *translator // of the pivot, the snapshot that dialects speak
	from           translators // into snapshot, by the snapshot that a record was mapped to
	goal           *translator // of these the pivot's; nil if snapshot is the pivot
	options        Options
	ids            map[string]int32
	keys           []keyInfo
	table          *keyTable
	jsonSlots      int32
	hoistedTests   int
	plans          int
	originals      map[int32]*target // by id of a target: where its replaced value is kept
	resourceKeys   []string
	targets        map[string]*target
	dialects       []*dialect // by name
	detect         [signals]detector
	operations     map[string]*operation
	providers      providerPrefixes
	keyring        *keyring // nil: no digests
	makes          map[string]bool
	readsContent   bool // content fields are looked at
	digests        []digestRule
	tenant         int32 // 1 + index of the tenant's resource key
	known          knownTargets
	originalStatus *target
	eventAttribute source        // of emitters that do not fill the record's own field
	idle           chan *scratch // of callers that are done
	memory         *Memory
	unpacks        []*unpackRule
	recalls        map[string]*recall // of the dialect that is compiled, by name
}

// Options change what is mapped.
type Options struct {
	// Content maps messages, tool arguments and results into the snapshot's
	// content keys; otherwise they stay where they are, unparsed.
	Content bool
	// Digests are the DigestKinds to make; none without a key.
	Digests []string
	// DigestKey is the secret under which digests are made.
	DigestKey []byte
	// TenantKey is the resource attribute that names the tenant; digests of two
	// tenants are made under different keys.
	TenantKey string
	// Memory is what records tell each other; nil: these tables have one of their
	// own.
	Memory *Memory
	// JoinRecords is the number of log records of one call, in one batch, whose
	// messages are read together; less than two is none.
	JoinRecords int
}

// keyInfo is what the tables know about one attribute key.
type keyInfo struct {
	name    string
	json    *jsonPaths
	marker  [signals]int16  // dialect+1 whose marker it is
	owned   [signals]int16  // dialect+1 that owns the key
	anchors [signals]bitset // conjunctions of detection that want the key
	closed  *target         // an app.* key with a closed list
	native  *target         // a key of the snapshot
	rule    *snapshotKey    // what to do with it to have the pivot's key and word
}

// target is a key that fields write.
type target struct {
	key     string
	id      int32
	typ     valueType
	closed  []string // the only values allowed
	app     bool     // a value stated by the emitter wins
	count   bool     // less than zero means absent
	finish  bool     // finish reasons are folded
	private bool     // holds content or a person's id
}

// knownTargets are read by the engine itself.
type knownTargets struct {
	operation, input, output, cacheRead, cacheWrite, reasoning          *target
	finish, finishRaw, basis, dialect, snapshot, inferred, originalName *target
	mcpMethod, provider, toolName, promptName, errorType                *target
	band, truncated                                                     *target
	inputMessages, outputMessages, joined                               *target
	system, effectTarget, authority, promptDigest, contextHash          *target
	body                                                                int32
}

// dialect is one compiled file.
type dialect struct {
	name     string
	sections [signals]*program
	effects  effectWords
}

type program struct {
	body      block
	bits      keyBits
	eventFrom []source
	strip     []string
	conform   string
	adopt     bool // the vendor's event name is the canonical one
	events    map[string]*block
	recalls   []*recall
	rename    map[string]string
	seconds   map[string]bool
}

// Compile checks dialect files and compiles them for a snapshot. Dialect files
// speak the default snapshot whatever the target is; a record is translated into
// the target last. The map
// key is the file's name as it shall appear in errors. All problems of all
// files are reported, each with its file and line.
func Compile(files map[string][]byte, snapshot *semconv.Snapshot, options Options) (*Tables, error) {
	pivot, err := semconv.LoadSnapshot(semconv.DefaultSnapshot)
	if err != nil {
		return nil, err
	}
	t := &Tables{
		snapshot: snapshot.Name, options: options, into: newTranslator(pivot),
		ids: map[string]int32{}, targets: map[string]*target{}, operations: map[string]*operation{},
		originals: map[int32]*target{},
	}
	t.from = translatorsInto(snapshot)
	t.goal = t.from[pivot.Name]
	t.addTargets(pivot)
	t.addOperations(pivot)
	for _, key := range sortedKeys(t.into.keys) {
		id := t.intern(key)
		t.keys[id].rule = t.into.keys[key]
	}
	t.originalStatus = &target{key: semconv.AppOriginal + ".status", typ: typeString, app: true}
	t.originalStatus.id = t.intern(t.originalStatus.key)
	t.original(t.known.operation)
	t.eventAttribute = source{kind: fromAttribute, key: t.intern(semconv.EventName)}
	effects, err := builtinEffects()
	errs := []error{err}
	t.providers, err = builtinProviders()
	errs = append(errs, err)
	var parsed []*dialectFile
	for _, name := range sortedKeys(files) {
		d, err := parseDialect(name, files[name])
		errs = append(errs, err)
		if d != nil {
			parsed = append(parsed, d)
		}
	}
	claims := newClaims(files, parsed)
	for i, d := range parsed {
		c := &compiler{t: t, r: claims.of[i].r, snapshot: pivot, claims: claims}
		c.dialect(d, int16(i), effects)
	}
	errs = append(errs, claims.err())
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	t.setDigests()
	t.readsContent = t.options.Content || len(t.digests) > 0
	for i := range t.detect {
		t.detect[i].anchor(t, signal(i))
	}
	for _, d := range t.dialects {
		for _, p := range d.sections {
			if p != nil {
				p.setBits(len(t.keys))
			}
		}
	}
	t.table = newKeyTable(t.keys)
	t.idle = make(chan *scratch, maxIdle)
	if t.memory = options.Memory; t.memory == nil {
		t.memory = NewMemory()
	}
	return t, nil
}

func (t *Tables) setDigests() {
	t.makes = map[string]bool{}
	if len(t.options.DigestKey) == 0 {
		return
	}
	t.keyring = newKeyring(t.options.DigestKey)
	if t.options.TenantKey != "" {
		t.tenant = 1 + t.resourceKey(t.options.TenantKey)
	}
	for _, kind := range t.options.Digests {
		t.makes[kind] = true
	}
	for _, d := range digestOf {
		if t.makes[d.kind] {
			t.digests = append(t.digests, digestRule{t.targets[d.content], t.targets[d.digest]})
		}
	}
}

// Dialects are the names of the compiled dialects, sorted.
func (t *Tables) Dialects() []string {
	out := make([]string, len(t.dialects))
	for i, d := range t.dialects {
		out[i] = d.name
	}
	return out
}

func (t *Tables) addTargets(s *semconv.Snapshot) {
	for _, g := range semconv.Core().Groups {
		for _, a := range g.Attributes {
			t.addTarget(a, false)
		}
	}
	for _, a := range s.Attributes {
		t.addTarget(a, false)
		t.keys[t.ids[a.Key]].native = t.targets[a.Key]
	}
	for _, g := range semconv.App().Groups {
		for _, a := range g.Attributes {
			t.addTarget(a, true)
		}
	}
	at := func(key string) *target { return t.targets[key] }
	t.known = knownTargets{
		operation: at(operationKey), input: at(semconv.GenAIUsageInputTokens), output: at(semconv.GenAIUsageOutputTokens),
		cacheRead: at(semconv.GenAIUsageCacheReadInputTokens), cacheWrite: at(semconv.GenAIUsageCacheCreationInputTokens),
		reasoning: at(semconv.GenAIUsageReasoningOutputTokens), finish: at(semconv.GenAIResponseFinishReasons),
		finishRaw: at(semconv.AppResponseFinishReasonsRaw), basis: at(semconv.AppMappingUsageBasis),
		dialect: at(semconv.AppMappingDialect), snapshot: at(semconv.AppMappingSnapshot),
		inferred: at(semconv.AppMappingInferred), originalName: at(semconv.AppMappingOriginalName),
		mcpMethod: at(semconv.MCPMethodName), provider: at(semconv.GenAIProviderName),
		toolName: at(semconv.GenAIToolName), promptName: at(semconv.GenAIPromptName), errorType: at(semconv.ErrorType),
		band: at(semconv.AppMappingBand), truncated: at(semconv.AppMappingTruncated),
		system: at(semconv.GenAISystemInstructions), effectTarget: at(semconv.AppEffectTarget), authority: at(semconv.AppAuthorityResource),
		inputMessages: at(semconv.GenAIInputMessages), outputMessages: at(semconv.GenAIOutputMessages), joined: at(semconv.AppMappingJoined),
		promptDigest: at(semconv.AppPromptDigest), contextHash: at(semconv.AppContextHash), body: t.intern(bodyKey),
	}
}

// original is the target that keeps a value which another one replaced.
func (t *Tables) original(of *target) *target {
	if o := t.originals[of.id]; o != nil {
		return o
	}
	prefix := semconv.AppOriginal
	if of.private {
		prefix = semconv.AppOriginalContent
	}
	key := prefix + "." + of.key
	o := &target{key: key, id: t.intern(key), typ: typeAny, app: true}
	t.originals[of.id] = o
	return o
}

func (t *Tables) addTarget(a semconv.Attribute, app bool) {
	if old, ok := t.targets[a.Key]; ok && !app {
		old.typ = valueTypes[a.Type]
		return
	}
	tg := &target{key: a.Key, id: t.intern(a.Key), typ: valueTypes[a.Type], app: app}
	tg.private = a.Content || a.Person
	tg.finish = a.Key == semconv.GenAIResponseFinishReasons
	tg.count = tg.typ == typeInt && strings.HasPrefix(a.Key, usagePrefix)
	if app && len(a.Values) > 0 {
		tg.closed = a.Values
		t.keys[tg.id].closed = tg
	}
	t.targets[a.Key] = tg
}

const (
	usagePrefix     = "gen_ai.usage."
	aggregatePrefix = "gen_ai.aggregated_usage."
)

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

func contains(list []string, s string) bool {
	for _, e := range list {
		if e == s {
			return true
		}
	}
	return false
}

func layered[V any](base, top map[string]V) map[string]V {
	out := make(map[string]V, len(base)+len(top))
	for k, v := range base {
		out[k] = v
	}
	for k, v := range top {
		out[k] = v
	}
	return out
}
