package ledger

import (
	"crypto/sha256"
	"encoding/binary"
	"reflect"
	"slices"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/codec"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Digester makes the digests of rows. It remembers the resources that it has
// seen by their map, so those may not be changed while it is used. It is not
// safe for concurrent use.
type Digester struct {
	encoder   codec.Encoder
	buf       []byte
	keys      []string
	resources map[uintptr]Digest
	kept      []evidence.Attrs // so that no other map gets the place of a known one
}

// The first byte tells one kind of digest from the others, and this version of
// the encoding from later ones.
const (
	ofSpan     = 's'
	ofRecord   = 'r'
	ofResource = 'o'
	ofFact     = 'f'
	ofRefused  = 'q'
	ofEntry    = 'n'
)

// OfStatement is the first byte of what an engine digests itself of a statement of
// a span, which then is its digest.
const OfStatement byte = 't'

// Span returns the digest of all that a span says, after any merging.
func (d *Digester) Span(s *evidence.Span) (Digest, error) {
	d.keys = codec.Keys(d.keys, s.Attrs)
	return d.SpanInOrder(s, d.keys)
}

// SpanInOrder is Span if the keys of the span's attributes are known in byte
// order.
func (d *Digester) SpanInOrder(s *evidence.Span, keys []string) (Digest, error) {
	b := append(d.buf[:0], ofSpan)
	b, err := d.sender(b, s.Tenant, s.Service, s.ServiceVersion, s.Scope, s.ScopeVersion, s.Resource)
	if err != nil {
		return Digest{}, err
	}
	b = append(b, s.ID.Trace[:]...)
	b = append(b, s.ID.Span[:]...)
	b = append(b, s.Parent[:]...)
	for _, t := range [...]string{s.Name, closed(s.Kind, "", kinds), closed(s.Status, evidence.StatusUnset, statuses), s.StatusMessage, s.TraceState} {
		b = codec.AppendText(b, t)
	}
	b = binary.BigEndian.AppendUint64(b, uint64(s.Start))
	b = binary.BigEndian.AppendUint64(b, uint64(s.End))
	if b, err = d.encoder.AttrsInOrder(b, s.Attrs, keys, nil); err != nil {
		return Digest{}, err
	}
	if b, err = d.encoder.Events(b, s.Events, s.Start); err != nil {
		return Digest{}, err
	}
	b = binary.AppendUvarint(b, uint64(len(s.Links)))
	for i := range s.Links {
		l := &s.Links[i]
		b = append(b, l.To.Trace[:]...)
		b = append(b, l.To.Span[:]...)
		relation := l.Relation
		if relation == "" {
			relation = semconv.AppLinkRelationRelated
		}
		b = codec.AppendText(codec.AppendText(b, relation), l.TraceState)
		if b, err = d.encoder.Attrs(b, l.Attrs, nil); err != nil {
			return Digest{}, err
		}
	}
	d.buf = b
	return sha256.Sum256(b), nil
}

var (
	kinds    = []string{"internal", "server", "client", "producer", "consumer"}
	statuses = []string{evidence.StatusOK, evidence.StatusError}
)

// closed returns a word of the list, or what engines keep in place of any other.
func closed(word, other string, list []string) string {
	if slices.Contains(list, word) {
		return word
	}
	return other
}

// Record returns the digest of all that a record says.
func (d *Digester) Record(r *evidence.Record) (Digest, error) {
	b := append(d.buf[:0], ofRecord)
	b, err := d.sender(b, r.Tenant, r.Service, r.ServiceVersion, r.Scope, r.ScopeVersion, r.Resource)
	if err != nil {
		return Digest{}, err
	}
	b = append(b, r.ID[:]...)
	b = append(b, r.Step.Trace[:]...)
	b = append(b, r.Step.Span[:]...)
	b = codec.AppendText(codec.AppendText(b, r.Event), r.Severity)
	b = binary.BigEndian.AppendUint64(b, uint64(r.Time))
	b = binary.BigEndian.AppendUint64(b, uint64(r.Observed))
	if b, err = d.encoder.Value(b, "", r.Body); err != nil {
		return Digest{}, err
	}
	if b, err = d.encoder.Attrs(b, r.Attrs, nil); err != nil {
		return Digest{}, err
	}
	d.buf = b
	return sha256.Sum256(b), nil
}

// sender appends what the rows of one resource and scope have in common.
func (d *Digester) sender(b []byte, tenant, service, serviceVersion, scope, scopeVersion string, resource evidence.Attrs) ([]byte, error) {
	for _, t := range [...]string{tenant, service, serviceVersion, scope, scopeVersion} {
		b = codec.AppendText(b, t)
	}
	sum, err := d.resource(resource)
	return append(b, sum[:]...), err
}

// maxResources bounds what a Digester remembers.
const maxResources = 1024

func (d *Digester) resource(m evidence.Attrs) (Digest, error) {
	place := reflect.ValueOf(m).Pointer()
	if sum, ok := d.resources[place]; ok {
		return sum, nil
	}
	b, err := d.encoder.Attrs([]byte{ofResource}, m, nil)
	if err != nil {
		return Digest{}, err
	}
	if d.resources == nil || len(d.resources) >= maxResources {
		d.resources, d.kept = map[uintptr]Digest{}, nil
	}
	sum := Digest(sha256.Sum256(b))
	d.resources[place], d.kept = sum, append(d.kept, m)
	return sum, nil
}

// NextFact adds a fact, as the engine keeps it, to the digest of those that came
// before it from the same row, zero for the first.
func NextFact(before Digest, fact []byte) Digest {
	var buf [512]byte
	b := append(append(append(buf[:0], ofFact), before[:]...), fact...)
	return sha256.Sum256(b)
}

// RefusedRow returns the digest of a row that was set aside, and the id that
// names it.
func RefusedRow(tenant, kind string, trace, id []byte, reason string, body []byte) (Digest, ID) {
	b := []byte{ofRefused}
	for _, t := range []string{tenant, kind, string(trace), string(id), reason, string(body)} {
		b = codec.AppendText(b, t)
	}
	sum := Digest(sha256.Sum256(b))
	var name ID
	copy(name[:16], sum[:])
	return sum, name
}
