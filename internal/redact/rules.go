package redact

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"sync"

	"gopkg.in/yaml.v3"
)

//go:embed rules/*.yaml
var ruleFiles embed.FS

// ruleSpec is a rule as its file writes it; rules/README.md explains the fields.
type ruleSpec struct {
	Kind       string   `yaml:"kind"`
	Keywords   []string `yaml:"keywords"`
	Shape      string   `yaml:"shape"`
	Before     string   `yaml:"before"`
	Matcher    string   `yaml:"matcher"`
	Number     string   `yaml:"number"`
	Strength   string   `yaml:"strength"`
	Proof      string   `yaml:"proof"`
	Free       string   `yaml:"free"`
	Checks     []string `yaml:"checks"`
	MinEntropy float64  `yaml:"min_entropy"`
	Generic    bool     `yaml:"generic"`
	Yes        []string `yaml:"yes"`
	No         []string `yaml:"no"`
}

type ruleFile struct {
	Class string     `yaml:"class"` // secret or pii
	Rules []ruleSpec `yaml:"rules"`
}

// rule is a compiled ruleSpec. find looks at the candidate whose keyword is
// s[from:to]; it may read s[lo:] and adds the bytes it read to work.
type rule struct {
	kind                string
	id                  int
	pii                 bool
	generic             bool
	find                func(r *rule, s string, from, to, lo int, work *int) (match, bool)
	shape               shape
	before              *op
	freeLeft, freeRight bool
	strength            string // how much the value of an assignment must look like a secret
	checks              []func(string) bool
	minEntropy          float64
	keywords            []string
	proof               func(string) int // nil if the kind's tokens carry no checksum
	custom              bool             // of the operator's own
	pattern             *regexp.Regexp   // of a custom rule; needle is a text that all its matches hold
	needle              string
	number              *numberRule // nil unless digits lead to it instead of keywords
	named               shape       // form of the value behind a name, for matcher named
}

// library is all rules of the binary, in the order of their files.
type library struct {
	rules []*rule
	specs []ruleSpec
}

var loadLibrary = sync.OnceValues(func() (*library, error) {
	names, err := fs.Glob(ruleFiles, "rules/*.yaml")
	if err != nil {
		return nil, err
	}
	if _, err := loadNumberTables(); err != nil {
		return nil, err
	}
	lib := &library{}
	for _, name := range names {
		if base := path.Base(name); base == keyFile || base == attributeFile || base == numberFile {
			continue
		}
		if err := lib.read(name); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return lib, nil
})

func (lib *library) read(name string) error {
	b, err := ruleFiles.ReadFile(name)
	if err != nil {
		return err
	}
	var file ruleFile
	dec := yaml.NewDecoder(bytes.NewReader(b))
	dec.KnownFields(true)
	if err := dec.Decode(&file); err != nil {
		return err
	}
	if file.Class != "secret" && file.Class != "pii" {
		return fmt.Errorf("class must be secret or pii, found %q", file.Class)
	}
	for _, spec := range file.Rules {
		r, err := compileRule(spec)
		if err != nil {
			return fmt.Errorf("kind %q: %w", spec.Kind, err)
		}
		if slices.ContainsFunc(lib.rules, func(o *rule) bool { return o.kind == r.kind }) {
			return fmt.Errorf("kind %q is already the kind of another rule", spec.Kind)
		}
		r.pii = file.Class == "pii"
		lib.rules, lib.specs = append(lib.rules, r), append(lib.specs, spec)
	}
	return nil
}

func compileRule(spec ruleSpec) (*rule, error) {
	r := &rule{kind: spec.Kind, generic: spec.Generic, minEntropy: spec.MinEntropy, keywords: spec.Keywords}
	if spec.Kind == "" || len(spec.Kind) > maxKindLen || !onlyKindBytes(spec.Kind) {
		return nil, fmt.Errorf("kind must be 1 to %d of a-z, 0-9 and _", maxKindLen)
	}
	if spec.Number != "" {
		find, ok := numberRules[spec.Number]
		if !ok || len(spec.Keywords) > 0 || spec.Shape != "" || spec.Matcher != "" {
			return nil, fmt.Errorf("number must be a known one without keywords, shape or matcher, found %q", spec.Number)
		}
		r.number = find
		return r, nil
	}
	if len(spec.Keywords) == 0 {
		return nil, fmt.Errorf("keywords must not be empty")
	}
	switch spec.Free {
	case "", "left", "right", "both":
		r.freeLeft = spec.Free == "left" || spec.Free == "both"
		r.freeRight = spec.Free == "right" || spec.Free == "both"
	default:
		return nil, fmt.Errorf("free must be left, right or both, found %q", spec.Free)
	}
	for _, name := range spec.Checks {
		check, ok := checks[name]
		if !ok {
			return nil, fmt.Errorf("check %q is not known", name)
		}
		r.checks = append(r.checks, check)
	}
	if spec.Proof != "" {
		if r.proof = proofs[spec.Proof]; r.proof == nil {
			return nil, fmt.Errorf("proof %q is not known", spec.Proof)
		}
	}
	return r, r.compileMatcher(spec)
}

func (r *rule) compileMatcher(spec ruleSpec) (err error) {
	if spec.Matcher == matcherNamed {
		r.find = (*rule).findNamed
		if r.named, err = compileShape(spec.Shape); err != nil || spec.Shape == "" {
			return fmt.Errorf("shape of a named value: %w", err)
		}
		return nil
	}
	if (spec.Shape == "") == (spec.Matcher == "") {
		return fmt.Errorf("one of shape and matcher must be given")
	}
	if spec.Matcher != "" {
		find, ok := matchers[spec.Matcher]
		if !ok {
			return fmt.Errorf("matcher %q is not known", spec.Matcher)
		}
		r.find, r.strength = find, spec.Strength
		return nil
	}
	r.find = (*rule).findShape
	if r.shape, err = compileShape(spec.Shape); err != nil {
		return fmt.Errorf("shape: %w", err)
	}
	if spec.Before == "" {
		return nil
	}
	before, err := compileShape(spec.Before)
	if err != nil {
		return fmt.Errorf("before: %w", err)
	}
	if len(before) != 1 || before[0].kind != opClass || before[0].max < 1 {
		return fmt.Errorf("before must be one class with a bounded repeat")
	}
	r.before = &before[0]
	return nil
}

func onlyKindBytes(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	return true
}

// PIIKinds lists the kinds of personal data that Settings.PII may name.
func PIIKinds() []string {
	lib, err := loadLibrary()
	if err != nil {
		return nil // Compile reports it
	}
	var kinds []string
	for _, r := range lib.rules {
		if r.pii {
			kinds = append(kinds, r.kind)
		}
	}
	return kinds
}

// DefaultPII are the kinds that are on unless settings say otherwise: all but
// addresses of machines, which in telemetry are most often those of servers.
func DefaultPII() []string {
	return slices.DeleteFunc(PIIKinds(), func(kind string) bool { return kind == "ip" })
}
