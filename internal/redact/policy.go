package redact

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Kinds that come from a key or a failure, not from a rule. They are the first
// rules of a tally.
const (
	ruleContent = iota
	rulePerson
	ruleCredential
	ruleUnknown
	ruleDenied
	ruleBaggage
	ruleTracestate
	ruleTraceparent
	ruleLink
	ruleTraceContext
	fixedRules
)

var fixedKinds = [fixedRules]string{contentKind, "person_id", "credential_key", "unknown_text",
	"denied", "baggage", "tracestate", "traceparent", "link_attribute", "trace_context"}

// Policy decides what crosses one trust boundary. It is safe for concurrent
// use, and equal settings decide equally.
type Policy struct {
	set         Settings
	hash        string
	engine      *engine
	secretNames *secretNames // nil if secrets are off
	attributes  *attributeRules
	allow       keyPatterns
	content     keyPatterns
	deny        keyPatterns
	baggage     keyPatterns     // members that may pass
	vendors     map[string]bool // whose tracestate members may pass
	traceKey    []byte
	rules       []string // kinds by tally index
	tenants     *tenants
	keys        keyCache
	tellKeys    bool
	idle        sync.Pool // *walk
}

// Compile checks the settings and builds their policy. The error lists every
// problem.
func Compile(s Settings) (*Policy, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	lib, err := loadLibrary()
	if err != nil {
		return nil, err
	}
	s = s.withDefaults()
	p := &Policy{set: s, tenants: &tenants{key: []byte(s.Key), known: map[string]*digester{}}}
	p.set.Allow, p.set.ContentKeys = slices.Sorted(slices.Values(s.Allow)), slices.Sorted(slices.Values(s.ContentKeys))
	p.allow, p.content = newKeyPatterns(s.Allow), newKeyPatterns(s.ContentKeys)
	p.deny = newKeyPatterns(s.Deny)
	p.baggage, p.set.allBaggage = newKeyPatterns(s.BaggageAllow), slices.Contains(s.BaggageAllow, anyMember)
	p.vendors, p.traceKey = map[string]bool{}, traceKey(s.Key)
	for _, v := range s.TracestateAllow {
		p.vendors[v] = true
	}
	if p.attributes, err = loadAttributeRules(); err != nil {
		return nil, err
	}
	if s.Secrets {
		if p.secretNames, err = loadSecretNames(); err != nil {
			return nil, err
		}
	}
	custom, err := customRules(s.Custom)
	if err != nil {
		return nil, err
	}
	if err := p.compile(append(lib.chosen(s), custom...)); err != nil {
		return nil, err
	}
	p.engine.allow = newAllowed(s.AllowValues)
	p.hash = p.fingerprint(lib)
	return p, nil
}

// chosen returns the rules that the settings switch on.
func (lib *library) chosen(s Settings) (out []*rule) {
	for _, r := range lib.rules {
		on := s.Secrets
		if r.pii {
			on = false
			for _, kind := range s.PII {
				on = on || kind == r.kind
			}
		}
		if on {
			out = append(out, r)
		}
	}
	return out
}

// compile gives the rules their numbers and builds the engine. Tokens of every
// rule in the binary are recognised, also of those that are off here.
func (p *Policy) compile(rules []*rule) error {
	kinds := map[string]bool{}
	lib, err := loadLibrary()
	if err != nil {
		return err
	}
	for _, r := range lib.rules {
		kinds[r.kind] = true
	}
	for _, k := range append(fixedKinds[1:], reasonNames[:]...) {
		kinds[k] = true
	}
	p.rules = append(p.rules, fixedKinds[:]...)
	own := make([]*rule, len(rules))
	for i, r := range rules {
		c := *r
		c.id = fixedRules + i
		own[i] = &c
		kinds[r.kind] = true
		p.rules = append(p.rules, r.kind)
	}
	p.engine, err = newEngine(own, kinds)
	return err
}

// fingerprint hashes what the policy does, but not its key or boundary.
func (p *Policy) fingerprint(lib *library) string {
	h := sha256.New()
	a, s := p.attributes, p.set
	fmt.Fprintf(h, "%s %q %q %q %q %q %q\n", p.set.Unknown, p.set.Allow, p.set.ContentKeys, a.Plain, a.Named, a.Words, a.Content)
	fmt.Fprintf(h, "2 %s %s %q %v %q %d %d\n", p.set.Content, p.set.PersonIDs, p.set.TenantKey, p.set.Secrets, p.set.PII, p.set.MaxValueBytes, p.set.MaxDepth)
	if keys := p.set.Private.Keys(); len(keys) > 0 {
		fmt.Fprintf(h, "%q\n", keys)
	}
	fmt.Fprintf(h, "%q %q %d %d %q %v %v\n", sorted(s.Deny), sorted(s.BaggageAllow), s.BaggageMembers, s.BaggageBytes, sorted(s.TracestateAllow), s.DropLinkAttributes, s.RestartTraces)
	fmt.Fprintf(h, "%q %q\n", p.set.Custom, p.set.AllowValues)
	on := map[string]bool{}
	for _, k := range p.rules {
		on[k] = true
	}
	for _, spec := range lib.specs {
		if on[spec.Kind] {
			fmt.Fprintf(h, "%q %q %q %q %q %q %q %q %q %v %v\n", spec.Kind, spec.Number+spec.Proof, spec.Keywords, spec.Shape, spec.Before, spec.Matcher, spec.Strength, spec.Free, spec.Checks, spec.MinEntropy, spec.Generic)
		}
	}
	if p.secretNames != nil {
		fmt.Fprintln(h, strings.Join(p.secretNames.Equal, " "), strings.Join(p.secretNames.End, " "))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

func sorted(list []string) []string { return slices.Compact(slices.Sorted(slices.Values(list))) }

// Hash names the effective policy: equal hashes replace the same values, though
// not under the same key.
func (p *Policy) Hash() string { return p.hash }

// KeyID names the key without telling it: replicas that print the same one make
// the same tokens.
func (p *Policy) KeyID() string {
	mac := hmac.New(sha256.New, []byte(p.set.Key))
	mac.Write([]byte("\x00otelcol-agent/key-id/1\x00"))
	return hex.EncodeToString(mac.Sum(nil)[:4])
}

// TellKeys has Hits count by attribute too, which costs an allocation a hit. It
// is to be called before the policy is used.
func (p *Policy) TellKeys() { p.tellKeys = true }

// Rules lists the names that Hit.Rule may have.
func (p *Policy) Rules() []string { return append([]string(nil), p.rules...) }
