package server

import (
	"fmt"

	chproto "github.com/ClickHouse/ch-go/proto"
)

// nativeQuery is what a client asks.
type nativeQuery struct {
	body       string
	settings   map[string]string
	parameters bool
	compressed bool
	// stage is how far the answer is to be computed: 2 is to the end, less is what
	// another server goes on with.
	stage uint64
}

// stageMergeable is where another server merges what this one aggregates.
const stageMergeable = 1

// Ways by which a query came to whoever sends it.
const (
	byTCP  = 1
	byHTTP = 2
)

// fields reads one field after the other; the first error stays.
type fields struct {
	r   *chproto.Reader
	err error
}

func field[T any](f *fields, read func() (T, error)) (v T) {
	if f.err == nil {
		v, f.err = read()
	}
	return v
}

func (f *fields) text() string   { return field(f, f.r.Str) }
func (f *fields) number() uint64 { return field(f, f.r.UVarInt) }
func (f *fields) byte() byte     { return field(f, f.r.UInt8) }

func (f *fields) skip(texts, numbers int) {
	for range texts {
		f.text()
	}
	for range numbers {
		f.number()
	}
}

// readQuery reads a query. ch-go's own reader takes none of a server that the
// query did not reach over TCP.
func (n *native) readQuery() (q nativeQuery, err error) {
	f := &fields{r: n.reader}
	f.text() // id
	n.skipClient(f)
	q.settings = map[string]string{}
	for f.err == nil {
		var s chproto.Setting
		if f.err = s.Decode(n.reader); s.Key == "" {
			break
		}
		q.settings[s.Key] = s.Value
	}
	if chproto.FeatureInterServerSecret.In(n.revision) {
		f.text()
	}
	q.stage = f.number()
	q.compressed = f.number() == uint64(chproto.CompressionEnabled)
	q.body = f.text()
	for chproto.FeatureParameters.In(n.revision) && f.err == nil {
		var p chproto.Parameter
		if f.err = p.Decode(n.reader); p.Key == "" {
			break
		}
		q.parameters = true
	}
	if f.err != nil {
		return q, fmt.Errorf("query: %w", f.err)
	}
	return q, nil
}

// skipClient reads who asks, which nobody wants to know.
func (n *native) skipClient(f *fields) {
	f.byte()     // kind
	f.skip(3, 0) // user, id and address of the first query
	if chproto.FeatureQueryStartTime.In(n.revision) {
		field(f, f.r.Int64)
	}
	way := f.byte()
	switch way {
	case byTCP:
		f.skip(3, 3)
	case byHTTP:
		f.byte()
		f.skip(1, 0)
		if chproto.FeatureXForwardedForInClientInfo.In(n.revision) {
			f.text()
		}
		if chproto.FeatureRefererInClientInfo.In(n.revision) {
			f.text()
		}
	}
	if chproto.FeatureQuotaKeyInClientInfo.In(n.revision) {
		f.text()
	}
	if chproto.FeatureDistributedDepth.In(n.revision) {
		f.number()
	}
	if chproto.FeatureVersionPatch.In(n.revision) && way == byTCP {
		f.number()
	}
	if chproto.FeatureOpenTelemetry.In(n.revision) && f.byte() == 1 {
		for range 3 {
			field(f, f.r.UInt64)
		}
		f.text()
		f.byte()
	}
	if chproto.FeatureParallelReplicas.In(n.revision) {
		f.skip(0, 3)
	}
}
