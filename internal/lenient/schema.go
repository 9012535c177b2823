package lenient

import "strings"

// Signal says which export request a body is.
type Signal uint8

// The signals of OTLP.
const (
	Traces Signal = iota
	Logs
	Metrics
	Profiles
)

// kind is how a field is written.
type kind uint8

const (
	nested       kind = iota // a message
	text                     // a string, or null for the empty one
	boolean                  // true or false
	natural32                // number or string of digits, and so on
	natural64                //
	integer32                //
	integer64                //
	double                   // number, or string like "NaN"
	enum                     // number or one of names
	base64Bytes              // string
	id16                     // string of 32 hex digits, or ""
	id8                      // string of 16 hex digits, or ""
	mendedBool               // values that are mended: those of an attribute and of a data point
	mendedInt                //
	mendedDouble             //
)

// field is one field of a message. Its key may also be written with underscores.
type field struct {
	name   string
	kind   kind
	of     string          // message of a nested field
	number uint64          // of a nested field in protobuf
	names  map[string]bool // of an enum
	double string          // of a mended int: the member for a number that is none
	list   bool            // an array of such values
	step   string          // name as a step of a path
	after  string          // what comes behind the quote of its key: name, quote and colon
	index  int             // among the fields of its message
	inner  *message        // the message that of names
}

// slots is the size of a message's table of keys, a power of two.
const (
	slotBits = 7
	slots    = 1 << slotBits
)

// message finds a field by its key without collisions: the multiplier is chosen so
// that no two keys have one slot.
type message struct {
	fields   []field
	letter   [256]uint8 // 1 + index of the first field whose name begins so, 0 for none
	mul      uint64
	slot     [slots]uint8 // 1 + index into keys, 0 for none
	keys     []key
	byNumber []*message // of nested fields
}

type key struct {
	name  string
	field *field
}

// likely is the field whose key may be next, to be compared before one is looked up:
// most senders write fields in the order of the schema, and in many messages one
// letter tells which it is.
func (m *message) likely(rest []byte, next int) *field {
	switch {
	case len(rest) == 0:
		return nil
	case next < len(m.fields) && m.fields[next].name[0] == rest[0]:
		return &m.fields[next]
	case m.letter[rest[0]] != 0:
		return &m.fields[m.letter[rest[0]]-1]
	}
	return nil
}

func (m *message) find(k []byte) *field {
	i := m.slot[spread(k, m.mul)]
	if i == 0 || m.keys[i-1].name != string(k) {
		return nil
	}
	return m.keys[i-1].field
}

// spread reads what tells the keys of a message apart: their length and four letters.
func spread[T string | []byte](k T, mul uint64) uint64 {
	n := len(k)
	x := uint64(n) | uint64(k[0])<<8 | uint64(k[n-1])<<16 | uint64(k[n/2])<<24 | uint64(k[n*2/3])<<32
	return x * mul >> (64 - slotBits)
}

// roots are the messages of the four requests.
var roots = compile()

func compile() (out [Profiles + 1]*message) {
	built := map[string]*message{}
	for name := range messages {
		built[name] = &message{}
	}
	for name, fields := range messages {
		m := built[name]
		m.fields = fields
		for i := range fields {
			f := &fields[i]
			f.index, f.inner = i, built[f.of]
			f.step, f.after = "."+f.name, f.name+`":`
			if f.inner != nil {
				for uint64(len(m.byNumber)) <= f.number {
					m.byNumber = append(m.byNumber, nil)
				}
				m.byNumber[f.number] = f.inner
			}
			if first := &m.letter[f.name[0]]; *first == 0 {
				*first = uint8(i + 1)
			}
			m.keys = append(m.keys, key{f.name, f})
			if other := underscored(f.name); other != f.name {
				m.keys = append(m.keys, key{other, f})
			}
		}
		m.place()
	}
	for signal, name := range [...]string{"ExportTraceRequest", "ExportLogsRequest", "ExportMetricsRequest", "ExportProfilesRequest"} {
		out[signal] = built[name]
	}
	return out
}

// place tries multipliers until every key has a slot of its own.
func (m *message) place() {
	m.mul = 1
	for range 1 << 20 {
		m.mul *= 0x9E3779B97F4A7C15
		if m.fits() {
			return
		}
	}
	panic("two keys of a message cannot be told apart")
}

func (m *message) fits() bool {
	m.slot = [slots]uint8{}
	for i, k := range m.keys {
		s := spread(k.name, m.mul)
		if m.slot[s] != 0 {
			return false
		}
		m.slot[s] = uint8(i + 1)
	}
	return true
}

// underscored is the second spelling of a key.
func underscored(name string) string {
	var b strings.Builder
	for _, c := range name {
		if c >= 'A' && c <= 'Z' {
			b.WriteByte('_')
			c += 'a' - 'A'
		}
		b.WriteRune(c)
	}
	return b.String()
}
