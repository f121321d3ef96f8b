package importrules

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// use is one place where a package uses something that a rule can forbid.
type use struct {
	at     string // file:line
	goStmt bool   // it starts a goroutine
	// importPath and name are of a package's function, type or variable. For a method the path is empty.
	importPath, name string
	sysfs            bool // the file imports internal/sysfs
}

func (u use) what() string {
	switch {
	case u.goStmt:
		return "a go statement"
	case u.importPath == "":
		return "method " + u.name
	default:
		return u.importPath + "." + u.name
	}
}

// seeded are the names of math/rand and math/rand/v2 with which one makes a generator of one's own.
var seeded = []string{"ChaCha8", "New", "NewChaCha8", "NewPCG", "NewSource", "NewZipf", "PCG", "Rand", "Source", "Source64", "Zipf"}

// impure says why a pure package must not have this use; empty when it may.
func (u use) impure() string {
	if u.goStmt {
		return GoStatement
	}
	if strings.HasPrefix(u.importPath, "math/rand") && !slices.Contains(seeded, u.name) {
		return GlobalRand
	}
	return Forbidden[u.importPath+"."+u.name]
}

// sysfsWrite tells whether this writes through internal/sysfs, whose writing functions and methods begin with Write.
// Methods are known by their name alone, so in a file that imports internal/sysfs every method of such a name counts.
func (u use) sysfsWrite(module string) bool {
	return strings.HasPrefix(u.name, "Write") &&
		(u.importPath == module+"/internal/sysfs" || u.importPath == "" && u.sysfs)
}

// parse lists the uses in a package's files.
func parse(module string, p Package) ([]use, error) {
	var out []use
	for _, name := range p.GoFiles {
		fset := token.NewFileSet()
		path := filepath.Join(p.Dir, name)
		file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		imports, err := importNames(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		sysfs := slices.Contains(p.Imports, module+"/internal/sysfs") && hasValue(imports, module+"/internal/sysfs")
		ast.Inspect(file, func(n ast.Node) bool {
			u := use{sysfs: sysfs}
			switch n := n.(type) {
			case *ast.GoStmt:
				u.goStmt = true
			case *ast.SelectorExpr:
				u.name = n.Sel.Name
				if x, ok := n.X.(*ast.Ident); ok {
					u.importPath = imports[x.Name]
				}
			default:
				return true
			}
			pos := fset.Position(n.Pos())
			u.at = fmt.Sprintf("%s:%d", filepath.Base(pos.Filename), pos.Line)
			out = append(out, u)
			return true
		})
	}
	return out, nil
}

// importNames maps the names by which a file calls its imports to their paths.
func importNames(file *ast.File) (map[string]string, error) {
	names := map[string]string{}
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		name := path[strings.LastIndex(path, "/")+1:]
		if name == "v2" { // math/rand/v2
			parent := strings.TrimSuffix(path, "/v2")
			name = parent[strings.LastIndex(parent, "/")+1:]
		}
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = path
	}
	return names, nil
}

func hasValue(m map[string]string, v string) bool {
	for _, x := range m {
		if x == v {
			return true
		}
	}
	return false
}
