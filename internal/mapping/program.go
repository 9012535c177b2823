package mapping

type basis uint8

const (
	basisUnset basis = iota
	basisInclusive
	basisExclusive
	basisAssumed // inclusive unless the numbers prove otherwise
)

var choiceWords = map[string]choice{"true": choiceYes, "false": choiceNo}

var basisWords = map[string]basis{"inclusive": basisInclusive, "exclusive": basisExclusive, "assumed": basisAssumed}

// block is a case: its conditions, its inner cases and its fields.
type block struct {
	when        []test
	cases       []block
	index       *caseIndex // nil: look at each case
	keys        neededKeys // without which no condition needs to be looked at
	rest        []test     // conditions that the index of the block around has not looked at
	fields      []field
	content     []field
	finally     []block
	event       string
	joins       bool // an event whose messages may be read with those of its call
	basis       basis
	outputBasis basis
	total       []source
	outputTotal []source
	aggregate   choice
	band        string
	kind        string
	naming      string
	status      string
	drop        bool
	time        *timeSource
	links       []linkRule
	each        []eachRule
}

// linkRule says what a span link means.
type linkRule struct {
	when     []test // on the link's attributes
	relation string
}

// eachRule makes one span event of each element below a prefix.
type eachRule struct {
	prefix, rest string // the element's attributes are prefix.N.rest…
	event        string
	fields       []field
}

// field writes one target. What every record looks at is small; the rest is
// behind a pointer.
type field struct {
	to       *target
	id       int32 // of the target
	how      fieldKind
	plain    bool   // a value needs nothing but the target's type
	wants    uint64 // bits of the keys without which there is nothing to do; 0: always look
	member   bool   // all sources are members of one attribute
	bits     uint64 // of the members
	inferred bool
	keep     bool
	renames  bool // the second source is an earlier name of the target
	from     []source
	*fieldText
}

type fieldKind uint8

const (
	fieldFrom fieldKind = iota
	fieldGather
	fieldJoin
	fieldConst
	fieldNone
	fieldDerive
	fieldSum
	fieldBetween
)

type fieldText struct {
	original   *target  // keeps a value that this field replaces
	gather     []source // together they are one content value
	join       []source
	sep        string
	konst      datum
	values     map[string]string
	folded     map[string]bool // words that share their target with another one
	starts     []prefixWord
	cuts       bool // the target may be only a part of the source
	only       []string
	absent     []string
	unlike     func(string) bool
	after      string
	until      string
	untilAny   string
	last       string
	sum        []source
	between    []source // two
	split      string
	lower      bool
	longest    int // a longer text is no name
	divisor    float64
	sinceStart bool // a time becomes the seconds since the span's start
	shape      shape
	effect     *effectField
}

// prefixWord turns every text with the prefix into a word.
type prefixWord struct{ prefix, word string }

type effectField struct {
	what  derivation
	words *effectWords
	tool  []source
	args  []source
	hints []source
	cut   int
}
