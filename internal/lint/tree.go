package lint

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"sort"
	"strconv"
	"strings"
)

// Module is the path of the module that ships.
const Module = "github.com/otelcol-agent/otelcol-agent"

// Tree is the source of the repository. Paths are relative to its root and use
// slashes.
type Tree struct {
	fset  *token.FileSet
	Go    map[string]*ast.File // every Go file that is not generated
	Text  map[string]string    // Markdown, YAML, Makefile, go.mod files
	Paths map[string]bool      // every file and folder
}

// Finding is a place that breaks a rule.
type Finding struct {
	File string
	Line int
	What string
}

func (f Finding) String() string { return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.What) }

// Load reads a tree. Hidden folders and build output are passed over.
func Load(root fs.FS) (*Tree, error) {
	t := &Tree{fset: token.NewFileSet(), Go: map[string]*ast.File{}, Text: map[string]string{}, Paths: map[string]bool{}}
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		t.Paths[name] = true
		if d.IsDir() {
			if name != "." && (strings.HasPrefix(d.Name(), ".") && d.Name() != ".ci" || name == "_build" || name == "bin" || d.Name() == "node_modules") {
				return fs.SkipDir
			}
			return nil
		}
		return t.add(root, name)
	})
	return t, err
}

func (t *Tree) add(root fs.FS, name string) error {
	base, ext := path.Base(name), path.Ext(name)
	switch {
	case ext == ".go":
		src, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(t.fset, name, src, parser.ParseComments)
		if err != nil {
			return err
		}
		if !ast.IsGenerated(f) {
			t.Go[name] = f
		}
	case ext == ".md", ext == ".yaml", ext == ".mod", base == "Makefile":
		src, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		t.Text[name] = string(src)
	}
	return nil
}

// shipped calls visit for the Go files of the shipping module that are neither
// tests nor generated, in order of their paths.
func (t *Tree) shipped(visit func(name string, f *ast.File)) {
	names := make([]string, 0, len(t.Go))
	for name := range t.Go {
		if strings.HasSuffix(name, "_test.go") || within(name, "testbed") || within(name, "tools") || within(name, "dashboards") {
			continue
		}
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		visit(name, t.Go[name])
	}
}

func (t *Tree) at(name string, pos token.Pos, format string, args ...any) Finding {
	return Finding{File: name, Line: t.fset.Position(pos).Line, What: fmt.Sprintf(format, args...)}
}

func within(name string, dirs ...string) bool {
	for _, dir := range dirs {
		if strings.HasPrefix(name, dir+"/") {
			return true
		}
	}
	return false
}

func imports(f *ast.File, visit func(spec *ast.ImportSpec, path string)) {
	for _, spec := range f.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err == nil {
			visit(spec, p)
		}
	}
}

// literals calls visit for the string literals of a file, import paths and
// struct tags left out.
func literals(f *ast.File, visit func(lit *ast.BasicLit, value string)) {
	skip := map[*ast.BasicLit]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			skip[n.Path] = true
		case *ast.Field:
			if n.Tag != nil {
				skip[n.Tag] = true
			}
		case *ast.BasicLit:
			if n.Kind == token.STRING && !skip[n] {
				if v, err := strconv.Unquote(n.Value); err == nil {
					visit(n, v)
				}
			}
		}
		return true
	})
}
