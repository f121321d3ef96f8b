package sysfs_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
)

func TestWriteNeverCreates(t *testing.T) {
	root := devtest.Tree(t, tree)
	fs := open(t, root)
	for path, kind := range map[string]error{
		"devices/system/cpu/cpufreq/policy0/scaling_max_frek": sysfs.ErrAbsent,
		"up":      sysfs.ErrRefused,
		"away":    sysfs.ErrRefused,
		"devices": sysfs.ErrRefused, // the kernel refuses to open a directory for writing
	} {
		if err := fs.Write(path, "1"); !is(err, kind) {
			t.Errorf("Write(%s): %v; want %v", path, err, kind)
		}
		if err := fs.Writable(path); !is(err, kind) {
			t.Errorf("Writable(%s): %v; want %v", path, err, kind)
		}
	}
	if _, err := os.Stat(filepath.Join(root,
		"devices/system/cpu/cpufreq/policy0/scaling_max_frek")); !os.IsNotExist(err) {
		t.Error("a misspelt name made a file")
	}
}

func TestWriteDoesNotTruncate(t *testing.T) {
	root := devtest.Tree(t, tree)
	fs := open(t, root)
	if err := fs.Write("devices/system/cpu/cpu0/cpufreq/scaling_max_freq", "2500000"); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(root,
		"devices/system/cpu/cpufreq/policy0/scaling_max_freq"))
	if string(got) != "2500000\n" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestPermission(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("the superuser may write to everything")
	}
	fs := open(t, devtest.Tree(t, tree))
	if err := fs.Writable("devices/system/cpu/cpufreq/policy0/scaling_driver"); !is(err,
		sysfs.ErrRefused) {
		t.Error(err)
	}
}

func TestAttribute(t *testing.T) {
	root := devtest.Tree(t, tree)
	fs := open(t, root)
	const path = "devices/system/cpu/cpufreq/policy0/scaling_max_freq"
	a, err := fs.Keep(path)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if err := a.WriteInt(1200000); err != nil {
		t.Fatal(err)
	}
	if v, err := a.ReadInt(); v != 1200000 || err != nil {
		t.Errorf("got %d, %v", v, err)
	}
	if n := testing.AllocsPerRun(100,
		func() { _ = a.WriteInt(2000000); _, _ = a.ReadInt() }); n != 0 {
		t.Errorf("%v allocations for a write and a read", n)
	}
	if err := os.WriteFile(filepath.Join(root, path), []byte("800000\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if v, err := a.ReadInt(); v != 800000 || err != nil {
		t.Errorf("after another's write: got %d, %v", v, err)
	}
	for _, text := range []string{"", "\n", "<unsupported>\n", "-1\n", "1 2\n",
		"9999999999999999999\n"} {
		if err := os.WriteFile(filepath.Join(root, path), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if v, err := a.ReadInt(); !is(err, sysfs.ErrMalformed) {
			t.Errorf("%q: got %d, %v", text, v, err)
		}
	}
}

// TestKeepRealAttribute checks that a kept attribute of the kernel's own sysfs answers anew to each
// read, not only to the first. It is not written.
func TestKeepRealAttribute(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("opening an attribute for writing needs root")
	}
	fs, err := sysfs.Open("/sys")
	if errors.Is(err, sysfs.ErrAbsent) {
		t.Skip("no /sys")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer fs.Close()
	const path = "kernel/profiling"
	want, err := fs.ReadInt(path)
	if errors.Is(err, sysfs.ErrAbsent) {
		t.Skip("this kernel has no attribute that is sure to be a writable number")
	}
	if err != nil {
		t.Fatal(err)
	}
	a, err := fs.Keep(path)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	for range 3 {
		if got, err := a.ReadInt(); got != want || err != nil {
			t.Errorf("got %d, %v; want %d", got, err, want)
		}
	}
	if _, err := fs.Keep("devices/system/cpu/online"); !is(err, sysfs.ErrRefused) {
		t.Errorf("an attribute that can only be read: %v", err)
	}
}
