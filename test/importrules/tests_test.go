package importrules_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/test/importrules"
)

// TestNoGoroutineWithoutTheDetector: these packages' tests run without the race detector
// (tools/test.sh), so they start no goroutine either. Subtests may run beside each other.
func TestNoGoroutineWithoutTheDetector(t *testing.T) {
	alone := map[string]bool{}
	for _, r := range importrules.Rules {
		alone[r.Package] = r.Alone()
	}
	seen := 0
	for _, r := range importrules.Rules {
		if !r.Alone() {
			continue
		}
		for _, used := range r.May {
			if !alone[used] {
				t.Errorf("%s may import %s, which may start goroutines", r.Package, used)
			}
		}
		files, err := filepath.Glob(filepath.Join("../..", r.Package, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				seen++
			}
			noGoroutine(t, name)
		}
	}
	if seen < 100 {
		t.Errorf("only %d files of tests: where are they?", seen)
	}
}

// noGoroutine reports what starts a goroutine in a file.
func noGoroutine(t *testing.T, name string) {
	t.Helper()
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	imported := map[string]bool{}
	for _, spec := range tree.Imports {
		imported[path.Base(strings.Trim(spec.Path.Value, `"`))] = true
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.GoStmt:
			t.Errorf("%v: a go statement", fset.Position(x.Pos()))
		case *ast.SelectorExpr:
			// The method Go of a group, and no function of that name, such as prose.Go.
			of, _ := x.X.(*ast.Ident)
			method := of == nil || !imported[of.Name]
			if s := x.Sel.Name; s == "Go" && method || s == "RunParallel" {
				t.Errorf("%v: a call of %s", fset.Position(x.Pos()), s)
			}
		}
		return true
	})
}
