package lint

import (
	"fmt"
	"path"
	"regexp"
	"sort"
	"strings"
)

// DocRules are all rules over text files.
var DocRules = []Rule{
	{"docs-name-existing-files", docsNameExistingFiles},
	{"docs-name-existing-targets", docsNameExistingTargets},
	{"versions-agree", versionsAgree},
}

var (
	codeSpan   = regexp.MustCompile("`([^`\n]+)`")
	mdLink     = regexp.MustCompile(`\]\(([^)#\s]+)(#[^)]*)?\)`)
	makeTarget = regexp.MustCompile(`(?:^|[^\w-])make ([a-z][a-z-]*)`)
	fence      = regexp.MustCompile("(?s)```.*?```")
)

// roots are the top-level folders whose paths a document may name.
var roots = []string{"cmd", "processor", "connector", "exporter", "receiver", "extension", "internal", "semconv", "dashboards", "testbed", "deploy", "examples", "docs", "changelog", "tools"}

func (t *Tree) documents(visit func(name, text string)) {
	var names []string
	for name := range t.Text {
		if path.Ext(name) == ".md" && !strings.Contains(name, "testdata/") {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	for _, name := range names {
		visit(name, t.Text[name])
	}
}

func lineOf(text string, offset int) int { return strings.Count(text[:offset], "\n") + 1 }

// docsNameExistingFiles: a link or a path in backticks points at something.
func docsNameExistingFiles(t *Tree) (out []Finding) {
	t.documents(func(name, text string) {
		prose := fence.ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat("\n", strings.Count(s, "\n")) })
		for _, m := range mdLink.FindAllStringSubmatchIndex(prose, -1) {
			target := prose[m[2]:m[3]]
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			if !t.Paths[path.Clean(path.Join(path.Dir(name), target))] {
				out = append(out, Finding{name, lineOf(prose, m[2]), fmt.Sprintf("link to %s, which does not exist", target)})
			}
		}
		for _, m := range codeSpan.FindAllStringSubmatchIndex(prose, -1) {
			span := prose[m[2]:m[3]]
			if !within(span, roots...) || strings.ContainsAny(span, "*{<… ") {
				continue
			}
			if !t.Paths[path.Clean(span)] {
				out = append(out, Finding{name, lineOf(prose, m[2]), fmt.Sprintf("names %s, which does not exist", span)})
			}
		}
	})
	return out
}

// docsNameExistingTargets: `make x` in a document is a target of the Makefile.
func docsNameExistingTargets(t *Tree) (out []Finding) {
	targets := map[string]bool{}
	for _, line := range strings.Split(t.Text["Makefile"], "\n") {
		if name, _, ok := strings.Cut(line, ":"); ok && !strings.HasPrefix(line, "\t") {
			for _, n := range strings.Fields(name) {
				targets[n] = true
			}
		}
	}
	t.documents(func(name, text string) {
		for _, block := range append(codeSpan.FindAllStringIndex(text, -1), fence.FindAllStringIndex(text, -1)...) {
			code := text[block[0]:block[1]]
			for _, m := range makeTarget.FindAllStringSubmatchIndex(code, -1) {
				if target := code[m[2]:m[3]]; !targets[target] {
					out = append(out, Finding{name, lineOf(text, block[0]+m[2]), "names make " + target + ", which is no target"})
				}
			}
		}
	})
	return out
}

var gomod = regexp.MustCompile(`gomod: (\S+) (v\S+)`)

// versionsAgree: builder-config.yaml and go.mod name the same versions.
func versionsAgree(t *Tree) (out []Finding) {
	manifest := t.Text["builder-config.yaml"]
	for _, m := range gomod.FindAllStringSubmatchIndex(manifest, -1) {
		mod, version := manifest[m[2]:m[3]], manifest[m[4]:m[5]]
		if mod == Module {
			continue
		}
		if !strings.Contains(t.Text["go.mod"], "\t"+mod+" "+version) {
			out = append(out, Finding{"builder-config.yaml", lineOf(manifest, m[2]), mod + " " + version + " is not what go.mod has"})
		}
	}
	return out
}
