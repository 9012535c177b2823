package synth

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// real is a span that an agent sent itself: what a record of the same act needs
// to add to it instead of being a second one.
type real struct {
	trace        pcommon.TraceID
	span, parent pcommon.SpanID
	kind         actKind
	spanKind     ptrace.SpanKind
	status       ptrace.StatusCode
	name         string
	subject      string // tool, model or agent
	call         string // its id: of the request, the call or the agent instance
	session      string
	start, end   int64
	has          keySet // what it says itself, other than that it does not know
	inferred     []string
	claimed      bool // an act without an id in common joined it
	seen         int64
	keys         [][16]byte
}

// heard is what is known of the agents' own spans.
type heard struct {
	byKey  map[[16]byte]*real
	recent map[[16]byte][]*real // by tenant and dialect: those of late, for joins without an id
	order  []*real              // as they came
	voices map[[16]byte]*voice
}

// voice says whether a session, or a dialect, sends spans.
type voice struct {
	speaks, silent bool
	touched        int64
}

// unknown is the word of every closed list for what nobody knows.
const unknown = semconv.AppToolEffectClassUnknown

const (
	maxReal    = 20_000
	maxRecent  = 64
	maxVoices  = 20_000
	realSize   = 480
	sameMoment = int64(time.Second) // two ends nearer than this are one
)

func newHeard() *heard {
	return &heard{byKey: map[[16]byte]*real{}, recent: map[[16]byte][]*real{}, voices: map[[16]byte]*voice{}}
}

func short(parts ...string) [16]byte {
	sum := digest(parts...)
	return [16]byte(sum[:16])
}

// Keys of a real span: the act by an id that records have too, the span itself,
// and the root of a trace or turn.
func actKey(tenant, within, kind, call string) [16]byte {
	return short("act", tenant, within, kind, call)
}

func spanKey(tenant string, trace pcommon.TraceID, id pcommon.SpanID) [16]byte {
	return short("span", tenant, string(trace[:]), string(id[:]))
}

func rootKey(tenant string, trace pcommon.TraceID) [16]byte {
	return short("root", tenant, string(trace[:]))
}

// Learn takes note of mapped spans that agents sent themselves, which it only
// reads, and returns what records that waited for them add to them.
func Learn(s *State, td ptrace.Traces, now time.Time) Output {
	out := s.newOutput()
	s.batch, s.count, s.now = s.batch[:0], s.count+1, now.UnixNano()
	for _, rs := range td.ResourceSpans().All() {
		tenant := tenantOf(rs.Resource())
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				s.hear(span, tenant)
			}
		}
	}
	for i := 0; i < len(s.batch); i++ {
		s.send(s.batch[i], &out, false)
	}
	s.shrink(&out)
	return out
}

// spoken are the attributes of a real span that say which act it is.
type spoken struct {
	operation, dialect, session, turn, call, request, instance, tool, model, agent string
}

func (s *State) hear(span ptrace.Span, tenant string) {
	r := &real{
		trace: span.TraceID(), span: span.SpanID(), parent: span.ParentSpanID(), spanKind: span.Kind(), status: span.Status().Code(),
		name: span.Name(), start: int64(span.StartTimestamp()), end: int64(span.EndTimestamp()), seen: s.now,
	}
	says := r.read(span.Attributes())
	if says.dialect == "" || r.trace.IsEmpty() {
		return
	}
	switch {
	case inferenceOperations[says.operation]:
		r.kind, r.subject = actInference, says.model
	case says.operation == semconv.GenAIOperationNameExecuteTool:
		r.kind, r.subject = actTool, says.tool
	case says.operation == semconv.GenAIOperationNameInvokeAgent:
		r.kind, r.subject = actAgent, says.agent
	default:
		return
	}
	r.session = says.session
	s.file(r, tenant, &says)
	s.voice(short("dialect", tenant, says.dialect)).speaks = true
	s.voice(short("trace", tenant, string(r.trace[:]))).speaks = true
	for _, t := range s.traced[r.trace] {
		s.wake(t)
	}
	if says.session == "" {
		return
	}
	key := short(tenant, says.dialect, says.session)
	s.voice(key).speaks = true
	if own := s.sessions[key]; own != nil {
		for _, t := range own.members {
			s.wake(t)
		}
	}
}

func (r *real) read(m pcommon.Map) (says spoken) {
	to := map[string]*string{
		semconv.GenAIOperationName: &says.operation, semconv.AppMappingDialect: &says.dialect, semconv.AppTurnID: &says.turn,
		semconv.GenAIToolCallID: &says.call, semconv.AppRequestID: &says.request, semconv.AppAgentInstanceID: &says.instance,
		semconv.GenAIToolName: &says.tool, semconv.GenAIRequestModel: &says.model, semconv.GenAIAgentName: &says.agent,
		semconv.AppSessionID: &says.session,
	}
	conversation := ""
	for k, v := range m.All() {
		if i, ok := keys().index[k]; ok && v.Str() != unknown {
			r.has.add(i)
		}
		if field := to[k]; field != nil && v.Type() == pcommon.ValueTypeStr {
			*field = v.Str()
		}
		switch k {
		case semconv.GenAIConversationID:
			conversation = v.Str()
		case semconv.AppMappingInferred:
			if v.Type() == pcommon.ValueTypeSlice {
				for _, item := range v.Slice().All() {
					r.inferred = append(r.inferred, item.Str())
				}
			}
		}
	}
	if says.session == "" {
		says.session = conversation
	}
	return says
}

// file puts a span under every key by which an act can find it.
func (s *State) file(r *real, tenant string, says *spoken) {
	self := spanKey(tenant, r.trace, r.span)
	if old := s.heard.byKey[self]; old != nil { // sent again
		r.claimed = old.claimed
		s.heard.forget(old)
		s.bytes -= realSize
	}
	r.keys = append(r.keys, self)
	call := map[actKind]string{actInference: says.request, actTool: says.call, actAgent: says.instance}[r.kind]
	r.call = call
	if call != "" {
		kind := idOf(r.kind)
		r.keys = append(r.keys, actKey(tenant, string(r.trace[:]), kind, call))
		if says.session != "" {
			r.keys = append(r.keys, actKey(tenant, says.session, kind, call))
		}
	}
	if r.kind == actAgent {
		root := rootKey(tenant, r.trace)
		if other := s.heard.byKey[root]; other == nil || r.parent.IsEmpty() || r.start < other.start {
			r.keys = append(r.keys, root)
		}
		if says.turn != "" && says.instance == "" {
			r.keys = append(r.keys, actKey(tenant, says.session, idTurn, says.turn))
		}
	}
	for _, k := range r.keys {
		s.heard.byKey[k] = r
	}
	s.heard.order = append(s.heard.order, r)
	list := append(s.heard.recent[short(tenant, says.dialect)], r)
	s.heard.recent[short(tenant, says.dialect)] = list[max(0, len(list)-maxRecent):]
	s.bytes += realSize
	for len(s.heard.order) > maxReal {
		s.forgetOldest()
	}
}

func idOf(kind actKind) string {
	return [...]string{actRoot: idTurn, actInference: idInference, actTool: idTool, actAgent: idAgent, actNote: idNote}[kind]
}

func (h *heard) forget(r *real) {
	for _, k := range r.keys {
		if h.byKey[k] == r {
			delete(h.byKey, k)
		}
	}
	r.keys = nil
}

func (s *State) forgetOldest() {
	r := s.heard.order[0]
	s.heard.order = s.heard.order[1:]
	if r.keys != nil {
		s.heard.forget(r)
		s.bytes -= realSize
	}
}

// expire forgets what is older than the turns that could add to it.
func (h *heard) expire(s *State, limit int64) {
	for len(h.order) > 0 && h.order[0].seen <= limit {
		s.forgetOldest()
	}
	for k, v := range h.voices {
		if v.touched <= limit {
			delete(h.voices, k)
		}
	}
	for k, list := range h.recent {
		if list[len(list)-1].seen <= limit {
			delete(h.recent, k)
		}
	}
}

func (s *State) voice(key [16]byte) *voice {
	v := s.heard.voices[key]
	if v == nil {
		if len(s.heard.voices) >= maxVoices {
			clear(s.heard.voices) // what is asked again is learnt again
		}
		v = &voice{}
		s.heard.voices[key] = v
	}
	v.touched = s.now
	return v
}
