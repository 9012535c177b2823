package mapping

import (
	"strings"
	"sync"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// scratch is the working memory of one record at a time; it is reused, and gen
// tells the entries of this record from older ones.
type scratch struct {
	t          *Tables
	gen        uint32
	attrs      []attrSlot // by key id
	members    []memberSlot
	bits       []memberBits // by key id: which members its JSON has
	parsed     []uint32     // by key id: gen in which its JSON was read
	decided    []uint32     // by key id: gen in which the target was decided
	remove     []int32      // by position: kept, removed, or the output that takes the value
	held       []pcommon.Value
	anyGone    bool
	out        []output
	data       []datum // of the outputs
	inferred   []string
	later      []*field // content fields
	finals     []*block // cases that run after all fields
	attributes pcommon.Map
	live       bitset // conjunctions of detection that the scope leaves possible
	liveKnown  bool
	scopeGen   uint32     // of the current scope
	plans      []livePlan // by casePlan.id
	hoisted    []uint8    // by test: what it says about the scope, see hoistedTest

	followed      string // the snapshot that the record followed, if it was translated
	marker, owner int16
	anchored      bitset     // conjunctions of detection whose anchor is there
	stale         bool       // some key or word is another snapshot's
	seen          []*keySlot // the known keys of the record
	present       uint64     // bits of these in the dialect's program

	operation               *operation // of the record, nil if it has none
	name, event             string
	scopeName, scopeVersion string
	resource                []datum
	traces                  ptrace.Traces // the batch
	kin                     *kin          // of the batch, nil until a rule asks
	span                    ptrace.Span
	isSpan                  bool
	record                  plog.LogRecord
	isLog                   bool
	place                   place       // of the record in a call
	element                 string      // prefix of the element that an each block is at
	link                    pcommon.Map // attributes of the link that is looked at

	decision
	whole   bool    // the last shape represented all of its source
	empty   int32   // target whose own value says nothing
	lossy   bool    // the last converted text said more than its target
	misfits []int32 // targets whose own value does not fit
	refused []int32 // attributes that were there and that a field did not take
	tally   *tally
	store   jsonSink

	names map[string]string // of spans, made before

	content *content // reused, made when first needed

	tenant       string     // of the resource
	macs         *sync.Pool // of the tenant, found when first needed
	systemRead   bool       // instructions apart from the messages have a digest
	canonicalBuf []byte
}

// decision is what cases say beside fields; the first that says something wins.
type decision struct {
	basis, outputBasis basis
	total, outputTotal []source
	aggregate          choice
	band               string
	kind               string
	naming             string // how the span is named, "" or usual: as its operation is
	status             string
	links              []*linkRule
	each               []*eachRule
	canonical          string
	drop               bool // the record says what others say, or nothing of the agent
	time               *timeSource
}

// choice is a yes or no that may still be open.
type choice uint8

const (
	choiceOpen choice = iota
	choiceYes
	choiceNo
)

type attrSlot struct {
	gen uint32
	pos int32
	val pcommon.Value
}

// memberBits has a bit for each slot, modulo 64, that a key's JSON filled.
type memberBits struct {
	gen  uint32
	bits uint64
}

type memberSlot struct {
	gen uint32
	val datum
}

// output is a value on its way to a target: one of scratch.data, or the record's
// own value of a key that goes.
type output struct {
	to    *target
	data  int32 // index in scratch.data, -1 if the value is the attribute's
	from  int32 // id of the attribute
	moved bool
}

const (
	kept    int32 = -2
	removed int32 = -1
)

func newScratch(t *Tables) *scratch {
	s := &scratch{
		t: t, attrs: make([]attrSlot, len(t.keys)), members: make([]memberSlot, t.jsonSlots),
		parsed: make([]uint32, len(t.keys)), decided: make([]uint32, len(t.keys)),
		bits: make([]memberBits, len(t.keys)), anchored: newBitset(t.conjunctions()), live: newBitset(t.conjunctions()),
		resource: make([]datum, len(t.resourceKeys)), hoisted: make([]uint8, t.hoistedTests),
		plans: make([]livePlan, t.plans), names: map[string]string{},
	}
	s.store = s.storeMember
	return s
}

// storeMember keeps a member that a path wants; a path with a * gathers all of
// them.
func (s *scratch) storeMember(leaf *jsonPaths, d datum) {
	m := &s.members[leaf.slot]
	bits := &s.bits[leaf.key]
	if bits.gen != s.gen {
		*bits = memberBits{gen: s.gen}
	}
	bits.bits |= 1 << (leaf.slot & 63)
	if !leaf.many {
		*m = memberSlot{s.gen, d}
		return
	}
	text, ok := d.text()
	if !ok {
		return
	}
	if m.gen != s.gen {
		*m = memberSlot{s.gen, datum{kind: kindList}}
	}
	if len(m.val.list) < maxGathered {
		m.val.list = append(m.val.list, text)
	}
}

// maxGathered bounds the values that one path with a * or one indexed source
// may give.
const maxGathered = 1024

// begin forgets what was seen of the last record.
func (s *scratch) begin(name, event string) {
	if s.gen++; s.gen == 0 { // 2^32 records: clear once, then start over
		clear(s.attrs)
		clear(s.members)
		clear(s.parsed)
		clear(s.bits)
		clear(s.decided)
		s.gen = 1
	}
	s.marker, s.owner, s.seen, s.stale = 0, 0, s.seen[:0], false
	s.name, s.event = name, event
	s.anchored.clear()
}

// open makes room for what is decided about a record that has a dialect.
func (s *scratch) open() {
	s.anyGone = false
	s.remove, s.out, s.data, s.inferred, s.later = s.remove[:0], s.out[:0], s.data[:0], s.inferred[:0], s.later[:0]
	s.finals, s.misfits, s.refused = s.finals[:0], s.misfits[:0], s.refused[:0]
	s.followed, s.element, s.empty, s.systemRead = "", "", 0, false
	s.decision = decision{links: s.links[:0], each: s.each[:0]}
}

// release drops every reference to the records.
func (s *scratch) release() {
	clear(s.attrs)
	clear(s.members)
	clear(s.out[:cap(s.out)])
	clear(s.data[:cap(s.data)])
	clear(s.inferred[:cap(s.inferred)])
	clear(s.resource)
	clear(s.later[:cap(s.later)])
	s.tenant, s.macs = "", nil
	s.name, s.event, s.scopeName, s.scopeVersion = "", "", "", ""
	s.attributes, s.tally = pcommon.Map{}, nil
	s.link = pcommon.Map{}
	if s.content != nil {
		s.content.tree.reset()
	}
	s.traces, s.kin = ptrace.Traces{}, nil
	s.span, s.isSpan, s.record, s.isLog = ptrace.Span{}, false, plog.LogRecord{}, false
	s.place = place{}
	select {
	case s.t.idle <- s:
	default:
	}
}

// maxIdle is the number of scratches that wait for the next caller. A scratch is
// large and a sync.Pool would lose it with each garbage collection.
const maxIdle = 16

func (t *Tables) scratch() *scratch {
	select {
	case s := <-t.idle:
		return s
	default:
		return newScratch(t)
	}
}

func (s *scratch) setResource(attrs pcommon.Map) {
	for i, k := range s.t.resourceKeys {
		s.resource[i] = datum{}
		if v, ok := attrs.Get(k); ok {
			s.resource[i] = datumOf(v)
		}
	}
	s.tenant, s.macs = "", nil
	if s.t.tenant > 0 {
		s.tenant, _ = s.resource[s.t.tenant-1].text()
	}
}

func (s *scratch) setScope(scope pcommon.InstrumentationScope) {
	s.scopeName, s.scopeVersion = scope.Name(), scope.Version()
	clear(s.hoisted)
	if s.scopeGen++; s.scopeGen == 0 {
		clear(s.plans)
		s.scopeGen = 1
	}
	s.liveKnown = false
}

// scan is the one pass over the attributes: it indexes the keys that any
// dialect knows and notes what speaks for a dialect.
func (s *scratch) scan(attrs pcommon.Map, sig signal) {
	s.attributes = attrs
	det, table := &s.t.detect[sig], s.t.table
	pos := int32(0)
	for k, v := range attrs.All() {
		if k != "" {
			if len(k) > 1 && det.familySecond[k[0]]>>(k[1]&63)&1 != 0 {
				s.scanFamilies(det, k)
			}
			if table.mayHave(k) {
				if slot := table.find(k); slot != nil && s.attrs[slot.id].gen != s.gen {
					s.attrs[slot.id] = attrSlot{s.gen, pos, v}
					s.seen = append(s.seen, slot)
					if slot.notes&(noteJudged|noteSpeaks<<sig) != 0 {
						s.note(&s.t.keys[slot.id], sig, v)
					}
				}
			}
		}
		pos++
	}
}

// note looks at what a key, and the value under it, says of the record.
func (s *scratch) note(info *keyInfo, sig signal, v pcommon.Value) {
	if m := info.marker[sig]; m != 0 && (s.marker == 0 || m < s.marker) {
		s.marker = m
	}
	if o := info.owned[sig]; o != 0 && (s.owner == 0 || o < s.owner) {
		s.owner = o
	}
	if info.closed != nil {
		s.checkClosed(info.closed, v)
	}
	if info.rule != nil && info.rule.needs(v) {
		s.stale = true
	}
	if info.anchors[sig] != nil {
		s.anchored.add(info.anchors[sig])
	}
}

func (s *scratch) scanFamilies(det *detector, key string) {
	for i := range det.keyFamily[key[0]] {
		f := &det.keyFamily[key[0]][i]
		last := len(f.prefix) - 1 // a dot, mostly, and rarely in the same place
		if len(key) > last && key[last] == f.prefix[last] && strings.HasPrefix(key, f.prefix) && (s.owner == 0 || f.dialect+1 < s.owner) {
			s.owner = f.dialect + 1
		}
	}
}

// checkClosed counts an app.* value of an emitter that is not in its list; it
// is left as it is, and readers treat it as unknown.
func (s *scratch) checkClosed(t *target, v pcommon.Value) {
	if v.Type() != pcommon.ValueTypeStr || !contains(t.closed, v.Str()) {
		s.tally.left(leftClosed)
	}
}
