package importrules

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// use is one place where a package uses something that a rule can forbid.
type use struct {
	at     string // file:line
	goStmt bool   // it starts a goroutine
	// path and name name an object that another package declares. A method's name is Type.Method.
	path, name string
	// opensToWrite says that a call opens a file with flags that let it be written or created.
	opensToWrite bool
}

func (u use) what() string {
	if u.goStmt {
		return "a go statement"
	}
	return u.path + "." + u.name
}

// seeded are the names of math/rand and math/rand/v2 that make a generator of one's own.
var seeded = []string{"ChaCha8", "New", "NewChaCha8", "NewPCG", "NewSource", "NewZipf", "PCG",
	"Rand", "Source", "Source64", "Zipf"}

// impure returns the reason why a pure package must not have this use; empty when it may.
func (u use) impure() string {
	if u.goStmt {
		return goStatement
	}
	if u.path == "math/rand" || u.path == "math/rand/v2" {
		if name, _, _ := strings.Cut(u.name, "."); !slices.Contains(seeded, name) {
			return globalRand
		}
	}
	return forbidden[u.path+"."+u.name]
}

// file has the facts on one file of a package that the rules need.
type file struct {
	name    string
	imports []string
}

// loader parses and type-checks packages. Their imports come from the compiler's export data.
type loader struct {
	fset     *token.FileSet
	importer types.Importer
}

func newLoader(packages []Package) *loader {
	export := map[string]string{}
	for _, p := range packages {
		export[p.ImportPath] = p.Export
	}
	l := &loader{fset: token.NewFileSet()}
	l.importer = importer.ForCompiler(l.fset, "gc", func(path string) (io.ReadCloser, error) {
		if export[path] == "" {
			return nil, fmt.Errorf("no export data for %s", path)
		}
		return os.Open(export[path])
	})
	return l
}

// load lists a package's files and what it uses.
func (l *loader) load(p Package) ([]file, []use, error) {
	var trees []*ast.File
	var files []file
	for _, name := range p.GoFiles {
		tree, err := parser.ParseFile(l.fset, filepath.Join(p.Dir, name), nil,
			parser.SkipObjectResolution)
		if err != nil {
			return nil, nil, err
		}
		f := file{name: name}
		for _, spec := range tree.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return nil, nil, err
			}
			f.imports = append(f.imports, path)
		}
		trees, files = append(trees, tree), append(files, f)
	}
	info := types.Info{Uses: map[*ast.Ident]types.Object{},
		Types: map[ast.Expr]types.TypeAndValue{}}
	config := types.Config{Importer: l.importer}
	if _, err := config.Check(p.ImportPath, l.fset, trees, &info); err != nil {
		return nil, nil, err
	}
	return files, append(l.objects(info.Uses, p.ImportPath, writingCalls(trees, &info)),
		l.goStatements(trees)...), nil
}

func (l *loader) at(pos token.Pos) string {
	p := l.fset.Position(pos)
	return fmt.Sprintf("%s:%d", filepath.Base(p.Filename), p.Line)
}

func (l *loader) objects(
	idents map[*ast.Ident]types.Object, self string, writing map[*ast.Ident]bool,
) []use {
	var out []use
	for ident, obj := range idents {
		if obj.Pkg() == nil || obj.Pkg().Path() == self {
			continue
		}
		u := use{at: l.at(ident.Pos()), path: obj.Pkg().Path(), name: obj.Name(),
			opensToWrite: writing[ident]}
		if f, ok := obj.(*types.Func); ok {
			if recv := f.Signature().Recv(); recv != nil {
				u.name = receiver(recv.Type()) + "." + u.name
			}
		}
		out = append(out, u)
	}
	return out
}

// receiver returns the name of a method's type, without its package and whether it is a pointer.
func receiver(t types.Type) string {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := t.(*types.Named); ok {
		return n.Obj().Name()
	}
	return t.String()
}

func (l *loader) goStatements(trees []*ast.File) []use {
	var out []use
	for _, tree := range trees {
		ast.Inspect(tree, func(n ast.Node) bool {
			if g, ok := n.(*ast.GoStmt); ok {
				out = append(out, use{at: l.at(g.Pos()), goStmt: true})
			}
			return true
		})
	}
	return out
}
