package host

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/app/qualify"
	"github.com/ebb-energy/ebb/internal/linux/proc"
)

// A process keeps its number until its status is taken, also after it has ended.
func TestProcess(t *testing.T) {
	p, err := begun(context.Background(), nil, "/bin/sleep", "1000")
	if err != nil {
		t.Fatal(err)
	}
	if p.ended() {
		t.Error("it has ended before it was asked to")
	}
	p.ask()
	proc.Over(p.Process.Pid)
	if !p.ended() {
		t.Error("it has not ended")
	}
	p.ask() // its own group still
	var status *exec.ExitError
	if err := p.wait(); !errors.As(err, &status) {
		t.Error(err)
	}
}

// The end of the context ends the process.
func TestProcessInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	h := &host{Settings: &Settings{}}
	p, err := begun(ctx, nil, "/bin/sleep", "1000")
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := p.wait(); err == nil {
		t.Error("it ended well")
	}
	if _, err := h.start(ctx, "/bin/true"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	_, err = h.start(context.Background(), "/bin/sh", "-c", "echo no >&2; exit 3")
	if err == nil || !strings.Contains(err.Error(), "exit status 3; it said: no") {
		t.Error(err)
	}
}

// A command can write without end: its words are kept to a bound, and its last line is quoted.
func TestWords(t *testing.T) {
	var w words
	line := strings.Repeat("x", 99) + "\n"
	for range 1000 {
		if n, err := w.Write([]byte(line)); n != len(line) || err != nil {
			t.Fatal(n, err)
		}
	}
	if _, err := w.Write([]byte(strings.Repeat("y", 3*mostWords) + "\nno\n")); err != nil {
		t.Fatal(err)
	}
	if len(w) > mostWords || w.last() != "; it said: no" {
		t.Errorf("%d bytes, %q", len(w), w.last())
	}
	_, _ = w.Write([]byte(strings.Repeat("\xffä", 2*mostWords))) // never fails
	if got := w.last(); len(got) > mostQuoted+20 || !strings.HasSuffix(got, "ä") &&
		!strings.HasSuffix(got, "?") {
		t.Errorf("%q", got)
	}
}

// Where there is a JVM it runs ebb's program. An error says which program failed.
func TestJVM(t *testing.T) {
	ctx := context.Background()
	java, err := JVM(ctx)
	if err != nil {
		t.Skip(err)
	}
	h := &host{Settings: &Settings{Java: java}, dir: t.TempDir()}
	if err := unpackJVM(h.dir); err != nil {
		t.Fatal(err)
	}
	for _, threads := range []int{1, 3} {
		if _, err := h.start(ctx, runJVM(java, h.dir, 50, threads)...); err != nil {
			t.Error(err)
		}
	}
	if _, err := h.start(ctx, runJVM(java, t.TempDir(), 1, 1)...); err == nil ||
		!strings.Contains(err.Error(), "the program of a JVM: ") {
		t.Error("without its class: ", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := JVM(ctx); kind(err) != qualify.NotSupported {
		t.Error(err)
	}
}
