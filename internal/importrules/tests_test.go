package importrules_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"

	"github.com/ebb-energy/ebb/internal/importrules"
)

// TestPureTestsStartNoGoroutine: the tests of pure packages run without the race detector
// (scripts/test.sh), so they start no goroutine either. Subtests may run beside each other.
func TestPureTestsStartNoGoroutine(t *testing.T) {
	seen := 0
	for _, r := range importrules.Rules {
		if !r.Pure {
			continue
		}
		files, err := filepath.Glob(filepath.Join("../..", r.Package, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			fset := token.NewFileSet()
			tree, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			seen++
			ast.Inspect(tree, func(n ast.Node) bool {
				switch x := n.(type) {
				case *ast.GoStmt:
					t.Errorf("%v: a go statement", fset.Position(x.Pos()))
				case *ast.SelectorExpr:
					if x.Sel.Name == "Go" || x.Sel.Name == "RunParallel" {
						t.Errorf("%v: a call of %s", fset.Position(x.Pos()), x.Sel.Name)
					}
				}
				return true
			})
		}
	}
	if seen < 100 {
		t.Errorf("only %d files of tests: where are they?", seen)
	}
}
