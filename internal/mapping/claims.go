package mapping

import (
	"bytes"
	"errors"
	"sort"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// claims are what the files of one Compile say is theirs: a name, scopes,
// markers and keys. Of two files that claim the same the one that is not built
// in has the problem, since its author can change it; else the later one.
type claims struct{ of []claimant }

type claimant struct {
	file    *dialectFile
	r       *reader
	builtin bool
	twin    bool // another dialect has the name
}

// newClaims brings the files into the order of their dialects' names and tells
// of names that are taken.
func newClaims(files map[string][]byte, parsed []*dialectFile) *claims {
	embedded := semconv.DialectFiles()
	builtin := func(d *dialectFile) bool {
		own, ok := embedded[strings.TrimSuffix(d.file, ".yaml")]
		return ok && bytes.Equal(own, files[d.file])
	}
	sort.SliceStable(parsed, func(i, j int) bool {
		if parsed[i].name != parsed[j].name {
			return parsed[i].name < parsed[j].name
		}
		return builtin(parsed[i]) && !builtin(parsed[j])
	})
	c := &claims{}
	for i, d := range parsed {
		own := claimant{file: d, r: &reader{file: d.file}, builtin: builtin(d)}
		if i > 0 && d.name != "" && d.name == parsed[i-1].name {
			own.twin = true
			own.r.fail(d.line, "dialect %q is already the name of %s", d.name, parsed[i-1].file)
		}
		c.of = append(c.of, own)
	}
	return c
}

// clash tells that two dialects want the same scope, name, marker or key.
func (c *claims) clash(sig signal, later, earlier int16, what, text string) {
	at, other := &c.of[later], &c.of[earlier]
	if at.twin && at.file.name == other.file.name {
		return // the name says it
	}
	if at.builtin && !other.builtin {
		at, other = other, at
	}
	s := [signals]*section{at.file.spans, at.file.logs, at.file.metrics}[sig]
	at.r.fail(s.detect.line, "detect.%s %q already belongs to dialect %s", what, text, other.file.name)
}

func (c *claims) err() error {
	errs := make([]error, len(c.of))
	for i := range c.of {
		errs[i] = c.of[i].r.err()
	}
	return errors.Join(errs...)
}
