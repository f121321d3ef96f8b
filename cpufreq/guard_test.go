package cpufreq

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/cpufreq/internal/fakekernel"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
)

// scriptedGuard puts back when its test says so.
type scriptedGuard struct {
	hold   Hold
	after  int // questions that it answers with no
	asked  int
	closed bool
}

var errByGuard = errors.New("put back by the test's guard")

func (g *scriptedGuard) PutBack() error {
	if g.asked++; g.after > 0 && g.asked > g.after {
		return errByGuard
	}
	return nil
}

func (g *scriptedGuard) Close() error {
	g.closed = true
	return nil
}

func (g *scriptedGuard) start(Hold) (Guard, error) { return g, nil }

func (g *scriptedGuard) Take(h Hold) error {
	g.hold = h
	return nil
}

// Once the guard has put the controls back, nothing is written any more; what was written at the
// same moment is put back.
func TestNothingIsWrittenAfterTheGuardPutBack(t *testing.T) {
	for _, spec := range []fakekernel.Spec{acpi(3), hwp(3)} {
		// The question before a Set, those before each of its writes, and the one after it.
		for questions := 1; questions <= 6; questions++ {
			k := fakekernel.New(t, spec)
			before := k.Controls()
			g := scriptedGuard{}
			a, err := Start(k.FS(t), Config{RunDir: filepath.Join(t.TempDir(), "run"),
				Guard: g.start})
			if err != nil {
				t.Fatal(err)
			}
			set(t, a, 2*ghz, Written, Written, Written)
			g.after, g.asked = questions, 0
			for g.asked <= questions {
				a.Set(3 * ghz)
				a.Set(2 * ghz)
			}
			same(t, k, before)
			k.Writes()
			out := set(t, a, 3*ghz, Withdrawn, Withdrawn, Withdrawn)
			if !errors.Is(out[0].Err, errByGuard) || len(k.Writes()) != 0 {
				t.Errorf("%d questions: %+v", questions, out[0])
			}
			if _, news := a.Check(); news {
				t.Error("that it is withdrawn is no news any more")
			}
			if r, err := a.Close(); err != nil || !r.Complete || !g.closed {
				t.Errorf("close: %+v, %v", r, err)
			}
			same(t, k, before)
		}
	}
}

// Without the guard that was asked for nothing is written, and nothing left.
func TestNothingIsWrittenWithoutTheGuard(t *testing.T) {
	k := fakekernel.New(t, acpi(2))
	run := filepath.Join(t.TempDir(), "run")
	refusal := errors.New("no process")
	_, err := Start(k.FS(t), Config{RunDir: run,
		Guard: func(Hold) (Guard, error) { return nil, refusal }})
	isNot(t, err, refusal)
	if w := k.Writes(); len(w) != 0 {
		t.Errorf("writes %v", w)
	}
	if _, err := os.Stat(run); !os.IsNotExist(err) {
		t.Errorf("the run directory is still there: %v", err)
	}
}

// The heir puts back what a living session has set, leaves its snapshot, and takes its place when
// it dies. It leaves alone what another session has set afterwards.
func TestTheHeirPutsBackOnlyItsSession(t *testing.T) {
	tree := devtest.Tree(t, devtest.Desktop)
	fs, err := sysfs.Open(tree)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { fs.Close() })
	run := filepath.Join(t.TempDir(), "run")
	governor := func() string {
		s, err := fs.Read(policy("0", governorFile))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	g := scriptedGuard{}
	a, err := Start(fs, Config{RunDir: run, Guard: g.start})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewHeir(g.hold, os.Getpid()+1); err == nil {
		t.Error("the heir of another process than the snapshot's")
	}
	h, err := NewHeir(g.hold, os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if r, err := h.PutBack(); err != nil || !r.Complete || governor() != "schedutil" {
		t.Errorf("put back: %+v, %v; the governor is %s", r, err, governor())
	}
	if _, err := os.Stat(filepath.Join(run, snapshotFile)); err != nil {
		t.Errorf("the snapshot: %v", err)
	}
	// as the session that wakes up and writes once
	if err := fs.Write(policy("0", governorFile), userspace); err != nil {
		t.Fatal(err)
	}
	if r, err := h.Close(); err != nil || !r.Complete || r.Count(Restored) == 0 ||
		governor() != "schedutil" {
		t.Errorf("close: %+v, %v; the governor is %s", r, err, governor())
	}
	if _, err := os.Stat(run); !os.IsNotExist(err) {
		t.Errorf("the run directory is still there: %v", err)
	}
	a.(*session).closed = true

	// A new session, in the same place, that an heir of the first must not touch.
	next := scriptedGuard{}
	b, err := Start(fs, Config{RunDir: run, Guard: next.start})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := h.PutBack(); len(r.Controls) != 0 || governor() != userspace {
		t.Errorf("the heir of another session: %+v, %v; the governor is %s", r, err, governor())
	}
	if _, err := b.Close(); err != nil {
		t.Error(err)
	}
}

// The heir needs no name: snapshot, controls and run directory may have others by then, as those of
// a file system that does not answer.
func TestTheHeirNeedsNoNames(t *testing.T) {
	tree := devtest.Tree(t, devtest.Desktop)
	fs, err := sysfs.Open(tree)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { fs.Close() })
	run := filepath.Join(t.TempDir(), "run")
	g := scriptedGuard{}
	a, err := Start(fs, Config{RunDir: run, Guard: g.start})
	if err != nil {
		t.Fatal(err)
	}
	h, err := NewHeir(g.hold, os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	defer h.Leave()
	governor := filepath.Join(tree, policy("0", governorFile))
	for _, name := range []string{governor, filepath.Join(run, snapshotFile),
		filepath.Join(run, lockFile)} {
		if err := os.Rename(name, name+".away"); err != nil {
			t.Fatal(err)
		}
	}
	r, err := h.PutBack()
	if err != nil || !r.Complete || r.Count(Restored) == 0 {
		t.Errorf("put back: %+v, %v", r, err)
	}
	if b, err := os.ReadFile(governor + ".away"); err != nil || !strings.HasPrefix(string(b),
		"schedutil") {
		t.Errorf("the governor is %q, %v", b, err)
	}
	// A snapshot that its process has removed is not put back.
	if err := os.Remove(filepath.Join(run, snapshotFile+".away")); err != nil {
		t.Fatal(err)
	}
	if r, err := h.PutBack(); len(r.Controls) != 0 {
		t.Errorf("put back without a snapshot: %+v, %v", r, err)
	}
	if err := os.Rename(governor+".away", governor); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Close(); err != nil {
		t.Error(err)
	}
}

// A snapshot that somebody has cut is an error, and does not end who looks at it.
func TestACutSnapshotIsNoFault(t *testing.T) {
	name := filepath.Join(t.TempDir(), snapshotFile)
	if err := os.WriteFile(name, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	v, err := newView(root)
	if err != nil {
		t.Fatal(err)
	}
	defer v.close()
	if got := string(v.bytes()); got != "{}" || !v.current() {
		t.Errorf("it has %q", got)
	}
	if err := os.Truncate(name, 0); err != nil {
		t.Fatal(err)
	}
	if got := v.bytes(); len(got) != 0 {
		t.Errorf("a file that was cut has %q", got)
	}
}
