package seed

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoOtherDraws: no test draws from the random numbers that math/rand/v2 seeds by itself, which
// no flag repeats, and none seeds its own by the clock.
func TestNoOtherDraws(t *testing.T) {
	const root = "../.."
	files := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && (d.Name() == "build" || strings.HasPrefix(d.Name(), ".")) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		files++
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, at := range draws(file) {
			t.Errorf("%v draws random numbers that cannot be repeated: take seed.Rand",
				set.Position(at))
		}
		return nil
	})
	if err != nil || files < 100 {
		t.Errorf("%d files, %v", files, err)
	}
}

// draws finds the calls of math/rand/v2's own functions, and seeds that come from the clock.
func draws(file *ast.File) (at []token.Pos) {
	imported := false
	for _, i := range file.Imports {
		imported = imported || i.Path.Value == `"math/rand/v2"`
	}
	if !imported {
		return nil
	}
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		pkg, name := selected(call.Fun)
		switch {
		case pkg != "rand":
		case !strings.HasPrefix(name, "New"):
			at = append(at, call.Pos())
		default:
			for _, arg := range call.Args {
				ast.Inspect(arg, func(n ast.Node) bool {
					if pkg, name := selected(n); pkg == "time" && name == "Now" {
						at = append(at, arg.Pos())
					}
					return true
				})
			}
		}
		return true
	})
	return at
}

func selected(n ast.Node) (pkg, name string) {
	if s, ok := n.(*ast.SelectorExpr); ok {
		if x, ok := s.X.(*ast.Ident); ok {
			return x.Name, s.Sel.Name
		}
	}
	return "", ""
}

func TestDrawsAreFound(t *testing.T) {
	for body, want := range map[string]int{
		"rand.Uint64()":                                       1,
		"rand.New(rand.NewPCG(7, 0)).IntN(3)":                 0,
		"rand.New(rand.NewPCG(uint64(time.Now().Unix()), 0))": 2, // within both calls
		"rand.Shuffle(3, nil); rand.IntN(2)":                  2,
	} {
		text := "package p\nimport (\n\"math/rand/v2\"\n\"time\"\n)\nfunc f() { " + body + " }\n"
		file, err := parser.ParseFile(token.NewFileSet(), "p.go", text, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := draws(file); len(got) != want {
			t.Errorf("%s: found %d, want %d", body, len(got), want)
		}
	}
}
