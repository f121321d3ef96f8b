package devtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoOtherDraws: no test draws from the random numbers that math/rand seeds by itself, which no
// flag repeats, and none seeds its own by the clock.
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
			t.Errorf("%v draws random numbers that cannot be repeated: take devtest.Rand",
				set.Position(at))
		}
		return nil
	})
	if err != nil || files < 100 {
		t.Errorf("%d files, %v", files, err)
	}
}

// draws finds the calls of math/rand's own functions, of either version, and seeds that come from
// the clock: an argument of New..., or a number of seconds made of time.Now, by whichever way it
// becomes a seed.
func draws(file *ast.File) (at []token.Pos) {
	rand := randName(file)
	if rand == "" {
		return nil
	}
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		pkg, name := selected(call.Fun)
		switch {
		case fromClock(call):
			at = append(at, call.Pos())
		case pkg != rand:
		case !strings.HasPrefix(name, "New"):
			at = append(at, call.Pos())
		default:
			for _, arg := range call.Args {
				if pkg, name := selected(called(arg)); pkg == "time" && name == "Now" {
					at = append(at, arg.Pos())
				}
			}
		}
		return true
	})
	return at
}

// randName returns the name under which a file imports math/rand, of either version; "" if it does
// not.
func randName(file *ast.File) string {
	for _, i := range file.Imports {
		if path := i.Path.Value; path != `"math/rand"` && path != `"math/rand/v2"` {
			continue
		}
		if i.Name != nil {
			return i.Name.Name
		}
		return "rand"
	}
	return ""
}

// fromClock reports whether a call is time.Now().Unix() or one of its relatives.
func fromClock(call *ast.CallExpr) bool {
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !strings.HasPrefix(method.Sel.Name, "Unix") && method.Sel.Name != "Nanosecond" {
		return false
	}
	pkg, name := selected(called(method.X))
	return pkg == "time" && name == "Now"
}

// called returns the function of a call; nil if n is none.
func called(n ast.Expr) ast.Node {
	if call, ok := n.(*ast.CallExpr); ok {
		return call.Fun
	}
	return nil
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
	const v1, v2 = `"math/rand"`, `"math/rand/v2"`
	for _, tc := range []struct {
		imported, body string
		want           int
	}{
		{v2, "rand.Uint64()", 1},
		{v2, "rand.New(rand.NewPCG(7, 0)).IntN(3)", 0},
		{v2, "rand.New(rand.NewPCG(uint64(time.Now().Unix()), 0))", 1},
		{v2, "s := time.Now().UnixNano(); rand.New(rand.NewPCG(uint64(s), 0))", 1},
		{v2, "rand.Shuffle(3, nil); rand.IntN(2)", 2},
		{v2, "time.Now(); time.Unix(3, 4).Unix()", 0},
		{v1, "rand.Intn(3)", 1},
		{v1, "rand.Seed(7)", 1}, // the seed is everybody's
		{v1, "rand.New(rand.NewSource(7)).Intn(3)", 0},
		{v1, "rand.New(rand.NewSource(time.Now().UnixNano()))", 1},
		{"other " + v1, "other.Intn(3); rand.Intn(3)", 1},
		{`"crypto/rand"`, "rand.Read(nil)", 0}, // for keys: nobody repeats these
	} {
		text := "package p\nimport (\n" + tc.imported + "\n\"time\"\n)\nfunc f() { " + tc.body +
			" }\n"
		file, err := parser.ParseFile(token.NewFileSet(), "p.go", text, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := draws(file); len(got) != tc.want {
			t.Errorf("%s with %s: found %d, want %d", tc.body, tc.imported, len(got), tc.want)
		}
	}
}
