package cpufreq

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/ebb-energy/ebb/cpufreq/internal/fakekernel"
)

// TestRestoreLater waits as long as the lock is held, whoever has signed it, and then puts back.
func TestRestoreLater(t *testing.T) {
	k := fakekernel.New(t, acpi(2))
	before := k.Controls()
	run := filepath.Join(t.TempDir(), "run")
	if r, err := RestoreLater(run, k.FS(t)); err != nil || !r.Complete {
		t.Errorf("without a run directory: %+v, %v", r, err)
	}
	a, err := Start(k.FS(t), Config{RunDir: run})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	var r Restoration
	go func() {
		var err error
		r, err = RestoreLater(run, k.FS(t))
		done <- err
	}()
	s := a.(*session)
	if _, err := Restore(run, k.FS(t)); !errors.Is(err, ErrLocked) {
		t.Errorf("while it runs: %v", err)
	}
	s.dir.lock.Close() // as when it is killed
	if err := <-done; err != nil || r.Count(Restored) == 0 {
		t.Errorf("%+v, %v", r, err)
	}
	same(t, k, before)
	s.closed = true
}

// TestReadPID: a number of another PID namespace is no process here.
func TestReadPID(t *testing.T) {
	for text, want := range map[string]int{
		fmt.Sprintf("7 %d\n", namespace()):   7,
		fmt.Sprintf("7 %d\n", namespace()+1): 0,
		"7\n":                                7, // an earlier ebb's
		"7 \n":                               0, "": 0, "-7\n": 0, "x 1\n": 0,
	} {
		path := filepath.Join(t.TempDir(), "lock")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := readPID(f); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
		f.Close()
	}
}

// TestNoFile: where lock or snapshot is no file, nothing waits for a writer, and nothing is put
// back or taken.
func TestNoFile(t *testing.T) {
	k := fakekernel.New(t, acpi(2))
	before := k.Controls()
	for _, name := range []string{lockFile, snapshotFile} {
		for what, make := range map[string]func(path string) error{
			"a pipe":      func(path string) error { return syscall.Mkfifo(path, 0o600) },
			"a directory": func(path string) error { return os.Mkdir(path, 0o700) },
			"a socket": func(path string) error {
				return syscall.Mknod(path, syscall.S_IFSOCK|0o600, 0)
			},
		} {
			run := filepath.Join(t.TempDir(), "run")
			err := errors.Join(os.Mkdir(run, 0o700), make(filepath.Join(run, name)))
			if err != nil {
				t.Fatal(err)
			}
			if r, err := RestoreLater(run, k.FS(t)); err == nil || r.Complete {
				t.Errorf("%s as %s: waiting: %+v, %v", what, name, r, err)
			}
			if r, err := Restore(run, k.FS(t)); err == nil || r.Complete {
				t.Errorf("%s as %s: %+v, %v", what, name, r, err)
			}
			if _, err := Look(run); err == nil {
				t.Errorf("%s as %s: it is not said", what, name)
			}
			if a, err := Start(k.FS(t), Config{RunDir: run}); err == nil {
				t.Errorf("%s as %s: it governs", what, name)
				a.Close()
			}
		}
	}
	same(t, k, before)
}
