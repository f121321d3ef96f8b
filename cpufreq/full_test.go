package cpufreq

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/ebb-energy/ebb/cpufreq/internal/fakekernel"
)

// disk mounts a small file system.
func disk(t *testing.T, options string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
		t.Skip("nothing can be mounted: ", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

// fill takes all the room that is left.
func fill(t *testing.T, dir string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "full"), make([]byte, 1<<20), 0o600); err == nil {
		t.Fatal("the disk is not full")
	}
}

// On a full disk nothing is written to a control, and nothing is left.
func TestAFullDiskKeepsNothing(t *testing.T) {
	for _, options := range []string{"size=16k", "size=1m,nr_inodes=2", "size=1m,nr_inodes=3"} {
		k := fakekernel.New(t, acpi(2))
		dir := disk(t, options)
		if options == "size=16k" {
			fill(t, dir)
		}
		g := scriptedGuard{}
		_, err := Start(k.FS(t), Config{RunDir: filepath.Join(dir, "run"), Guard: g.start})
		isNot(t, err, syscall.ENOSPC)
		if w := k.Writes(); len(w) != 0 || !g.closed {
			t.Errorf("%s: writes %v, the guard was closed: %v", options, w, g.closed)
		}
		if _, err := os.Stat(filepath.Join(dir, "run")); !os.IsNotExist(err) {
			t.Errorf("%s: the run directory is still there: %v", options, err)
		}
	}
}

// On a disk that has become full what a killed process left is put back.
func TestRestoreOnAFullDisk(t *testing.T) {
	k := fakekernel.New(t, acpi(2))
	before := k.Controls()
	dir := disk(t, "size=64k")
	a, err := Start(k.FS(t), Config{RunDir: filepath.Join(dir, "run")})
	if err != nil {
		t.Fatal(err)
	}
	a.Set(1 * ghz)
	run := die(a)
	// The lock of one that was killed has its number; here it has none, and no room for one.
	if err := os.Remove(filepath.Join(run, lockFile)); err != nil {
		t.Fatal(err)
	}
	fill(t, dir)
	if r, err := Restore(run, k.FS(t)); err != nil || !r.Complete || r.Count(Restored) == 0 {
		t.Errorf("got %+v, %v", r, err)
	}
	same(t, k, before)
	if _, err := os.Stat(run); !os.IsNotExist(err) {
		t.Errorf("the run directory is still there: %v", err)
	}
}
