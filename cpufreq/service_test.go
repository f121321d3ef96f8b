package cpufreq

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/ebb-energy/ebb/cpufreq/internal/fakekernel"
)

// TestLockService: there is one service, beside which another process may set the clocks; the lock
// of one that was killed is free, and its file goes with the next process that ends.
func TestLockService(t *testing.T) {
	k := fakekernel.New(t, acpi(1))
	run := filepath.Join(t.TempDir(), "run")
	release, err := LockService(run)
	if err != nil {
		t.Fatal(err)
	}
	_, err = LockService(run)
	var held *LockedError
	if !errors.Is(err, ErrServing) || errors.Is(err, ErrLocked) || !errors.As(err, &held) ||
		held.PID != os.Getpid() {
		t.Errorf("a second one: %v", err)
	}
	governs := func(what string, left bool) {
		t.Helper()
		a, err := Start(k.FS(t), Config{RunDir: run})
		if err != nil {
			t.Fatal(what, err)
		}
		if l, err := Look(run); l.Running == 0 || err != nil {
			t.Errorf("%s: %+v, %v", what, l, err)
		}
		if _, err := a.Close(); err != nil {
			t.Error(what, err)
		}
		if _, err := os.Stat(filepath.Join(run, serviceFile)); (err == nil) != left {
			t.Errorf("%s: %v", what, err)
		}
	}
	governs("beside a service", true)
	release()
	if _, err := os.Stat(run); !os.IsNotExist(err) {
		t.Errorf("the run directory is still there: %v", err)
	}

	for _, next := range []func(){
		func() { governs("after one that was killed", false) },
		func() {
			if _, err := Restore(run, k.FS(t)); err != nil {
				t.Error(err)
			}
		},
		func() {
			release, err := LockService(run)
			if err != nil {
				t.Fatal(err)
			}
			release()
		},
	} {
		d, err := openRunDir(run, serviceFile, true)
		if err != nil {
			t.Fatal(err)
		}
		d.lock.Close() // as when it is killed
		d.root.Close()
		next()
		if _, err := os.Stat(run); !os.IsNotExist(err) {
			t.Errorf("the run directory is still there: %v", err)
		}
	}
}
