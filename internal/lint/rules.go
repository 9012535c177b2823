package lint

import (
	"go/ast"
	"regexp"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Rule is one rule of the repository.
type Rule struct {
	Name  string
	Check func(*Tree) []Finding
}

// Rules are all rules over Go source.
var Rules = []Rule{
	{"component-imports", componentImports},
	{"core-imports", coreImports},
	{"core-is-replayable", coreIsReplayable},
	{"keys-live-in-semconv", keysLiveInSemconv},
	{"vendors-live-in-dialects", vendorsLiveInDialects},
	{"error-wording", errorWording},
	{"file-size", fileSize},
}

var shells = []string{"receiver", "processor", "connector", "exporter", "extension"}

// componentImports: components share cores, never each other.
func componentImports(t *Tree) (out []Finding) {
	t.shipped(func(name string, f *ast.File) {
		if !within(name, shells...) {
			return
		}
		own := strings.Join(strings.Split(name, "/")[:2], "/")
		imports(f, func(spec *ast.ImportSpec, p string) {
			rel, ok := strings.CutPrefix(p, Module+"/")
			if ok && within(rel, shells...) && rel != own && !within(rel, own) {
				out = append(out, t.at(name, spec.Pos(), "component imports component %s; move what they share to internal/", rel))
			}
		})
	})
	return out
}

// coreImports: internal/ knows telemetry data and nothing of the collector
// around it; SQL drivers live below internal/evidence/<engine>.
func coreImports(t *Tree) (out []Finding) {
	banned := []string{"go.uber.org/zap", "go.opentelemetry.io/otel", "net/http", "github.com/spf13/cobra"}
	drivers := []string{"database/sql", "modernc.org/sqlite", "github.com/ClickHouse/clickhouse-go"}
	t.shipped(func(name string, f *ast.File) {
		if !within(name, "internal") {
			return
		}
		imports(f, func(spec *ast.ImportSpec, p string) {
			switch {
			case strings.HasPrefix(p, "go.opentelemetry.io/collector/") && !strings.HasPrefix(p, "go.opentelemetry.io/collector/pdata"):
				out = append(out, t.at(name, spec.Pos(), "internal imports %s; of the collector only pdata is allowed", p))
			case under(p, banned):
				out = append(out, t.at(name, spec.Pos(), "internal imports %s; leave it to the shell", p))
			case under(p, drivers) && !within(name, "internal/evidence/sqlite", "internal/evidence/clickhouse"):
				out = append(out, t.at(name, spec.Pos(), "%s is for internal/evidence/sqlite and internal/evidence/clickhouse only", p))
			}
			if rel, ok := strings.CutPrefix(p, Module+"/"); ok && within(rel, append(shells, "cmd")...) {
				out = append(out, t.at(name, spec.Pos(), "internal imports %s; dependencies point the other way", rel))
			}
		})
	})
	return out
}

func under(p string, roots []string) bool {
	for _, r := range roots {
		if p == r || strings.HasPrefix(p, r+"/") {
			return true
		}
	}
	return false
}

// coreIsReplayable: no clock, dice or environment inside internal/.
func coreIsReplayable(t *Tree) (out []Finding) {
	calls := map[string]bool{"time.Now": true, "time.Since": true, "time.Until": true, "os.Getenv": true, "os.LookupEnv": true, "os.Environ": true}
	t.shipped(func(name string, f *ast.File) {
		if !within(name, "internal") {
			return
		}
		imports(f, func(spec *ast.ImportSpec, p string) {
			if p == "math/rand" || p == "math/rand/v2" {
				out = append(out, t.at(name, spec.Pos(), "internal imports %s; take the seed as an argument", p))
			}
		})
		ast.Inspect(f, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); ok && calls[x.Name+"."+sel.Sel.Name] {
				out = append(out, t.at(name, sel.Pos(), "internal uses %s.%s; take it as an argument", x.Name, sel.Sel.Name))
			}
			return true
		})
	})
	return out
}

// keysLiveInSemconv: a known attribute key is spelt in semconv alone.
func keysLiveInSemconv(t *Tree) (out []Finding) {
	known := knownNames()
	t.shipped(func(name string, f *ast.File) {
		if within(name, "semconv") || within(name, "internal/lint") {
			return
		}
		literals(f, func(lit *ast.BasicLit, v string) {
			if known[v] {
				out = append(out, t.at(name, lit.Pos(), "%q is spelt here; use the constant of package semconv", v))
			}
		})
	})
	return out
}

func knownNames() map[string]bool {
	known := map[string]bool{}
	add := func(attrs []semconv.Attribute) {
		for _, a := range attrs {
			if strings.Contains(a.Key, ".") {
				known[a.Key] = true
			}
		}
	}
	for _, n := range semconv.SnapshotNames() {
		if s, err := semconv.LoadSnapshot(n); err == nil {
			add(s.Attributes)
			add(s.Retired)
		}
	}
	for _, r := range []*semconv.Registry{semconv.App(), semconv.Core()} {
		for _, g := range r.Groups {
			add(g.Attributes)
		}
		for _, e := range r.Events {
			known[e.Name] = true
		}
	}
	return known
}

// vendorsLiveInDialects: no Go file names a vendor dialect.
func vendorsLiveInDialects(t *Tree) (out []Finding) {
	t.shipped(func(name string, f *ast.File) {
		if within(name, "semconv") || within(name, "internal/lint") {
			return
		}
		literals(f, func(lit *ast.BasicLit, v string) {
			for dialect := range semconv.DialectFiles() {
				if dialect != "genai" && strings.Contains(strings.ReplaceAll(v, "-", "_"), dialect) {
					out = append(out, t.at(name, lit.Pos(), "a vendor's name (%s) outside its dialect file", dialect))
				}
			}
		})
	})
	return out
}

var clumsy = regexp.MustCompile(`^(failed to|unable to|could not|cannot|can't|error )`)

// errorWording: an error names the thing and the constraint.
func errorWording(t *Tree) (out []Finding) {
	t.shipped(func(name string, f *ast.File) {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || sel.Sel.Name != "Errorf" && !(sel.Sel.Name == "New" && isIdent(sel.X, "errors")) {
				return true
			}
			if lit, ok := call.Args[0].(*ast.BasicLit); ok && clumsy.MatchString(strings.Trim(lit.Value, "\"`")) {
				out = append(out, t.at(name, lit.Pos(), "error begins with %q; name the key or thing, then the constraint", clumsy.FindString(strings.Trim(lit.Value, "\"`"))))
			}
			return true
		})
	})
	return out
}

func isIdent(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// fileSize: a source file past 500 lines hides a concept.
func fileSize(t *Tree) (out []Finding) {
	t.shipped(func(name string, f *ast.File) {
		if lines := t.fset.Position(f.End()).Line; lines > 500 {
			out = append(out, Finding{name, lines, "more than 500 lines; split at the seam"})
		}
	})
	return out
}
