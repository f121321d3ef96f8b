package cpufreq

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ebb-energy/ebb/cpufreq/internal/fakekernel"
)

func TestLookNamesRunningAndKilled(t *testing.T) {
	k := fakekernel.New(t, acpi(2))
	run := filepath.Join(t.TempDir(), "run")
	looks := func(when string, want Leftover) {
		t.Helper()
		if got, err := Look(run); err != nil || got != want {
			t.Errorf("%s: %+v, %v, want %+v", when, got, err, want)
		}
	}
	looks("before", Leftover{})
	a, err := Start(k.FS(t), Config{RunDir: run})
	if err != nil {
		t.Fatal(err)
	}
	looks("while it runs", Leftover{Running: os.Getpid()})
	a.(*session).dir.lock.Close() // as when it is killed
	looks("killed", Leftover{Killed: os.Getpid()})
	looks("killed, and checked before", Leftover{Killed: os.Getpid()})
	if r, err := Restore(run, k.FS(t)); err != nil || !r.Complete {
		t.Fatalf("%+v, %v", r, err)
	}
	looks("restored", Leftover{})
	a.(*session).closed = true
	if err := os.Mkdir(run, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(run, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := Look(run); err == nil {
		t.Error("a directory that all may write to was trusted")
	}
}
