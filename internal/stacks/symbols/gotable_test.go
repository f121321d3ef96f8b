package symbols

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/stacks/unwind"
)

// goBesideC has functions of Go and calls one of C, so that C's linker links it.
const goBesideC = `package main

// #include <math.h>
// #cgo LDFLAGS: -lm
import "C"

//go:noinline
func first(n int) int { return n * 3 }

//go:noinline
func second(n int) int { return n * 5 }

func main() { println(first(1), second(2), C.sqrt(4)) }
`

// TestGoTableBesideC: the names in a Go program's own table are those of the file's symbols, for
// each function of Go's, whoever linked it and wherever it may lie.
func TestGoTableBesideC(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("needs gcc: ", err)
	}
	for _, mode := range []string{"exe", "pie"} {
		for cgo, source := range map[string]string{"1": goBesideC, "0": goSource} {
			dir := t.TempDir()
			path := filepath.Join(dir, "program")
			if err := os.WriteFile(path+".go", []byte(source), 0o644); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false",
				"-buildmode="+mode, "-o", path, path+".go")
			cmd.Env = append(os.Environ(), "CGO_ENABLED="+cgo, "GOFLAGS=")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			e, err := readELF(f)
			if err != nil {
				t.Fatal(err)
			}
			checkGoTable(t, e, mode+" with cgo "+cgo)
		}
	}
}

func checkGoTable(t *testing.T, e *elf.File, what string) {
	t.Helper()
	l := &list{}
	if err := l.goFunctions(e, newBudget()); err != nil {
		t.Fatal(err)
	}
	table := l.done()
	all, err := e.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	functions, wrong := 0, 0
	for _, s := range all {
		if s.Name == "runtime.text" {
			if _, text := unwind.GoTable(e); text != s.Value {
				t.Errorf("%s: Go's code begins at %#x, want %#x", what, text, s.Value)
			}
		}
		if !strings.HasPrefix(s.Name, "main.") || s.Size < 2 || strings.Contains(s.Name, "_C") ||
			elf.ST_TYPE(s.Info) != elf.STT_FUNC {
			continue
		}
		functions++
		if got, ok := table.at(s.Value + 1); !ok || got.name != s.Name {
			if wrong++; wrong < 5 {
				t.Errorf("%s: %q at %s", what, got.name, s.Name)
			}
		}
	}
	if functions < 3 {
		t.Errorf("%s: %d functions of the program's own", what, functions)
	}
}
