package lenient

// Kind is a kind of mend.
type Kind uint8

// The closed list of mends.
const (
	IntIntegral  Kind = iota // intValue or asInt 12.0 or 1e3 becomes that integer
	IntToDouble              // one of 12.5, or 1e30, which no int64 holds, becomes a doubleValue or asDouble
	IntEmpty                 // one of "" becomes a value that is not set
	DoubleObject             // doubleValue or asDouble {} becomes a value that is not set; so do sum, min and max of a histogram
	DoubleNull               // one of null becomes a value that is not set
	BoolText                 // boolValue "true" becomes true
	IDNull                   // an id that is null becomes one that is not set
	IDShort                  // an id of too few hex digits gets zeros in front
	IDBase64                 // an id in base64 is written in hex
	kinds
)

var kindNames = [kinds]string{
	"int_integral", "int_to_double", "int_empty", "double_object", "double_null",
	"bool_text", "id_null", "id_short", "id_base64",
}

// String returns the name that telemetry has.
func (k Kind) String() string { return kindNames[k] }

// Kinds lists every kind.
func Kinds() []Kind {
	all := make([]Kind, kinds)
	for i := range all {
		all[i] = Kind(i)
	}
	return all
}

// Counts is how many mends of each kind a body needed.
type Counts [kinds]int64

// Total adds them up.
func (c Counts) Total() (n int64) {
	for _, k := range c {
		n += k
	}
	return n
}
