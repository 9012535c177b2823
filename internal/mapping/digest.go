package mapping

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"sort"
	"strconv"
	"sync"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// DigestKinds are what digests can be made of; Options.Digests picks some.
func DigestKinds() []string { return []string{DigestEffects, DigestPrompts, DigestCatalogs} }

const (
	DigestEffects  = "effects"  // a tool call's request and result
	DigestPrompts  = "prompts"  // the messages given to a model, a prompt, a goal
	DigestCatalogs = "catalogs" // the tool definitions offered to a model
)

// digestOf are the digests that are made of content keys by themselves.
var digestOf = []struct{ kind, content, digest string }{
	{DigestEffects, semconv.GenAIToolCallArguments, semconv.AppEffectRequestDigest},
	{DigestEffects, semconv.GenAIToolCallResult, semconv.AppEffectResultDigest},
	{DigestPrompts, semconv.GenAIInputMessages, semconv.AppPromptDigest},
	{DigestCatalogs, semconv.GenAIToolDefinitions, semconv.AppToolCatalogHash},
}

// digestKinds tells which kind a target of derive: digest belongs to.
var digestKinds = map[string]string{
	semconv.AppEffectRequestDigest: DigestEffects, semconv.AppEffectResultDigest: DigestEffects,
	semconv.AppPromptDigest: DigestPrompts, semconv.AppContextHash: DigestPrompts, semconv.AppTaskGoalDigest: DigestPrompts,
	semconv.AppHandoffGoalDigest: DigestPrompts, semconv.AppToolCatalogHash: DigestCatalogs,
}

// A digest is hmac: and 128 bits in hex of HMAC-SHA-256 over the canonical form.
const (
	digestPrefix = "hmac:"
	digestBytes  = 16
)

// keyring makes the key of each tenant, HMAC-SHA-256(key, tenant): equal content
// of two tenants has unequal digests.
type keyring struct {
	key   []byte
	mu    sync.Mutex
	known map[string]*sync.Pool
}

// maxTenants bounds the tenants whose key is kept; one more costs a derivation
// each time.
const maxTenants = 1024

func newKeyring(key []byte) *keyring { return &keyring{key: key, known: map[string]*sync.Pool{}} }

// macs of a tenant are used again.
func (k *keyring) macs(tenant string) *sync.Pool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if p := k.known[tenant]; p != nil {
		return p
	}
	derive := hmac.New(sha256.New, k.key)
	derive.Write([]byte(tenant))
	subkey := derive.Sum(nil)
	p := &sync.Pool{New: func() any { return hmac.New(sha256.New, subkey) }}
	if len(k.known) < maxTenants {
		k.known[string([]byte(tenant))] = p
	}
	return p
}

// digest of bytes for the resource's tenant; empty without a key.
func (s *scratch) digest(b []byte) string {
	if s.t.keyring == nil {
		return ""
	}
	if s.macs == nil {
		s.macs = s.t.keyring.macs(s.tenant)
	}
	mac := s.macs.Get().(hash.Hash)
	defer s.macs.Put(mac)
	mac.Reset()
	mac.Write(b)
	var sum [sha256.Size]byte
	var out [len(digestPrefix) + 2*digestBytes]byte
	copy(out[:], digestPrefix)
	hex.Encode(out[len(digestPrefix):], mac.Sum(sum[:0])[:digestBytes])
	return string(out[:])
}

// addDigests makes the digests of the content that the record holds, whether
// it is mapped or stays where it is.
func (s *scratch) addDigests() {
	if len(s.t.digests) == 0 || s.joined() {
		return
	}
	system := s.systemDigest()
	for i := range s.t.digests {
		d := &s.t.digests[i]
		if s.has(d.to.id) || s.decided[d.to.id] == s.gen {
			continue
		}
		value := s.contentOf(d.content)
		if value.kind == kindNone {
			continue
		}
		if text := s.digestOf(value); text != "" {
			s.decided[d.to.id] = s.gen
			s.sayText(d.to, text)
			if d.to == s.t.known.promptDigest {
				s.sayContext(system, text)
			}
		}
	}
}

// systemDigest is that of the instructions given apart from the messages, which
// the messages then do not say again; empty if there are none.
func (s *scratch) systemDigest() string {
	if !s.t.makes[DigestPrompts] {
		return ""
	}
	value := s.contentOf(s.t.known.system)
	if value.kind == kindNone {
		return ""
	}
	s.systemRead = true
	return s.digestOf(value)
}

// sayContext makes the digest of all that the model was given to read, which is
// made of the digests of the instructions and of the messages: nothing is read
// twice.
func (s *scratch) sayContext(system, prompt string) {
	to := s.t.known.contextHash
	if !s.asksModel() || s.has(to.id) || s.decided[to.id] == s.gen {
		return
	}
	s.decided[to.id] = s.gen
	s.canonicalBuf = append(append(append(s.canonicalBuf[:0], system...), '\n'), prompt...)
	s.sayText(to, s.digest(s.canonicalBuf))
}

// asksModel reports whether the record is a call of a model, or does not say what
// it is. An agent's span may hold messages too; no model saw just those.
func (s *scratch) asksModel() bool {
	switch op := s.valueOf(s.t.known.operation); op.s {
	case "", semconv.GenAIOperationNameChat, semconv.GenAIOperationNameGenerateContent, semconv.GenAIOperationNameTextCompletion:
		return true
	default:
		return false
	}
}

type digestRule struct{ content, to *target }

// contentOf is what a content key holds, or would hold if content were mapped.
func (s *scratch) contentOf(t *target) datum {
	if s.decided[t.id] == s.gen {
		if o := s.written(t); o != nil {
			return s.valueIn(o)
		}
	} else {
		for _, f := range s.later {
			if f.to != t {
				continue
			}
			if d, ok := s.look(f); ok {
				return d
			}
		}
	}
	if s.has(t.id) && !s.gone(t.id) {
		return datumOf(s.attrs[t.id].val)
	}
	return datum{}
}

// look reads a content field without placing its value.
func (s *scratch) look(f *field) (datum, bool) {
	if f.gather != nil {
		d, out := s.gathered(f)
		return d, out == fits
	}
	for i := range f.from {
		src := &f.from[i]
		if d, out := s.convert(f, src, s.read(src)); out == fits {
			return d, true
		}
	}
	return datum{}, false
}

// digestOf makes the digest of a value's canonical form.
func (s *scratch) digestOf(d datum) string {
	if s.t.keyring == nil {
		return ""
	}
	c := s.newContent()
	root := c.load(nil, d)
	if root == nil {
		return ""
	}
	s.canonicalBuf = appendCanonical(s.canonicalBuf[:0], root)
	return s.digest(s.canonicalBuf)
}

// appendCanonical writes a value so that equal values are equal bytes: JSON
// without spaces, members sorted by name, numbers and texts in one spelling.
func appendCanonical(b []byte, n *node) []byte {
	switch n.kind {
	case nodeString:
		return appendText(b, n.word())
	case nodeNumber:
		return appendNumber(b, n.text)
	case nodeList:
		b = append(b, '[')
		for k := n.first; k != nil; k = k.next {
			if k != n.first {
				b = append(b, ',')
			}
			b = appendCanonical(b, k)
		}
		return append(b, ']')
	case nodeObject:
		var buf [16]*node
		kids := buf[:0]
		for k := n.first; k != nil; k = k.next {
			kids = append(kids, k)
		}
		sort.SliceStable(kids, func(i, j int) bool { return kids[i].name < kids[j].name })
		b = append(b, '{')
		for i, k := range kids {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendText(b, k.name), ':')
			b = appendCanonical(b, k)
		}
		return append(b, '}')
	}
	return appendNode(b, n, false)
}

// appendNumber writes 1, 1.0 and 1e0 the same; an integer that a double cannot
// hold keeps its digits.
func appendNumber(b []byte, text string) []byte {
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return strconv.AppendInt(b, i, 10)
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return append(b, text...)
	}
	if f == float64(int64(f)) && f < maxExactInt && f > -maxExactInt {
		return strconv.AppendInt(b, int64(f), 10)
	}
	return strconv.AppendFloat(b, f, 'g', -1, 64)
}

// applyDigest makes the digest of the first source that says something.
func (s *scratch) applyDigest(f *field) {
	if !s.t.makes[digestKinds[f.to.key]] {
		return
	}
	for i := range f.from {
		d := s.read(&f.from[i])
		if d.kind == kindNone || d.kind == kindString && isNothing(d.s) {
			continue
		}
		if text := s.digestOf(d); text != "" {
			s.say(f, text)
			return
		}
	}
}
