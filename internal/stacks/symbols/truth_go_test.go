//go:build amd64

package symbols

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/stacks/unwind"
)

// goSource has functions with and without a frame, and some of the runtime's in assembly. None of
// them checks whether its stack has to grow: when the runtime asks it to yield, that check goes on
// on another stack.
const goSource = `package main

import (
	"bytes"
	"runtime"
)

var sum uint32

//go:noinline
//go:nosplit
func leaf(n uint32) uint32 { return n*2654435761 ^ n>>7 }

//go:noinline
//go:nosplit
func framed(n uint32) uint32 {
	var a [20]uint32
	for i := range a {
		a[i] = leaf(n + uint32(i))
	}
	return a[n%20]
}

//go:noinline
//go:nosplit
func middle(n uint32) uint32 {
	if n > 2 {
		return framed(n) + leaf(n)
	}
	return leaf(n) * framed(3)
}

//go:noinline
//go:nosplit
func outer(n uint32) uint32 { return middle(n) + middle(n*2) + 1 }

func main() {
	runtime.LockOSThread()
	text := bytes.Repeat([]byte("abc"), 100)
	runtime.Breakpoint()
	for i := range uint32(8) {
		sum += outer(i)
	}
	sum += uint32(bytes.IndexByte(text, 'x') + copy(text[7:], text))
	runtime.Breakpoint()
}
`

// TestTruthGo is TestTruth for a Go program, whose leaf functions keep no frame pointer, with its
// symbols stripped: as Go's own linker makes it, and as the system's does, which puts code of the C
// library before Go's.
func TestTruthGo(t *testing.T) {
	for _, c := range []struct{ name, mode, cgo, link string }{
		{"alone", "exe", "0", "internal"},
		{"anywhere", "pie", "0", "internal"},
		{"with C", "exe", "1", "external"},
		{"with C, anywhere", "pie", "1", "external"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := exec.LookPath("gcc"); c.cgo == "1" && err != nil {
				t.Skip("needs gcc: ", err)
			}
			dir := t.TempDir()
			source, path := filepath.Join(dir, "nesting.go"), filepath.Join(dir, "nesting")
			text := goSource
			if c.cgo == "1" {
				text = strings.Replace(text, `"runtime"`, `"runtime"; _ "runtime/cgo"`, 1)
			}
			if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false",
				"-ldflags=-s -w -linkmode="+c.link, "-buildmode="+c.mode, "-o", path, source)
			cmd.Env = append(os.Environ(), "CGO_ENABLED="+c.cgo, "GOFLAGS=")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			truthGo(t, path)
		})
	}
}

// truthGo steps through a program of goSource.
func truthGo(t *testing.T, path string) {
	t.Setenv("GODEBUG", "asyncpreemptoff=1")
	t.Setenv("GOGC", "off")
	s := launch(t, path)
	r, _ := newLocal(t)
	image := r.image(s.pid)
	start := r.Unwind(image, s.thread(), 0)
	// runtime.Breakpoint, main.main, runtime.main, runtime.goexit
	if start.End != unwind.Chain || len(start.Frames) < 4 {
		t.Fatalf("at the breakpoint: end %d of %s", start.End, nested(r, image, start.Frames))
	}
	base := slices.Clone(start.Frames[1:])
	// The breakpoint itself is in a function of the runtime, which returns from it.
	s.returns, base = append(s.returns, base[0]), base[1:]
	steps, wrong := 0, 0
	for s.step() {
		found := r.Unwind(image, s.thread(), 0)
		want := append([]uint64{s.regs.Rip}, slices.Concat(reversed(s.returns), base)...)
		if steps++; found.End != unwind.Chain || !slices.Equal(found.Frames, want) {
			if wrong++; wrong < 10 {
				t.Errorf("step %d, %s: end %d of %s; want %s", steps, placed(r, image, s.regs.Rip),
					found.End, nested(r, image, found.Frames), nested(r, image, want))
			}
		}
	}
	if t.Logf("%d stacks, %d wrong; problems: %q", steps, wrong, r.Problems); steps < 1000 {
		t.Errorf("%d steps", steps)
	}
}
