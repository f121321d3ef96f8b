package safefile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

func TestRemove(t *testing.T) {
	dir := t.TempDir()
	self := uint32(os.Geteuid())
	put := func(name string) error {
		return os.WriteFile(filepath.Join(dir, name), []byte("map"),
			0o600)
	}
	if err := put("perf-1.map"); err != nil {
		t.Fatal(err)
	}
	d, err := FindLeftovers(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	err = errors.Join(put("perf-2.map"), put("perf-3.map"), put("target"),
		os.Symlink("target", filepath.Join(dir, "perf-4.map")),
		unix.Mkfifo(filepath.Join(dir, "perf-5.map"),
			0o600), os.Mkdir(filepath.Join(dir, "perf-6.map"), 0o700),
		put("perf-7.map"), os.Link(filepath.Join(dir, "perf-7.map"), filepath.Join(dir, "second")))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what, name string
		uid        uint32
		want       bool
	}{
		{"what was there before", "perf-1.map", self, false},
		{"another user's", "perf-3.map", self + 1, false},
		{"a link", "perf-4.map", self, false},
		{"a pipe", "perf-5.map", self, false},
		{"a directory", "perf-6.map", self, false},
		{"one with a second name", "perf-7.map", self, false},
		{"none", "perf-8.map", self, false},
		{"what came since", "perf-2.map", self, true},
	} {
		_, before := os.Lstat(filepath.Join(dir, c.name))
		got, err := d.Remove(c.name, c.uid)
		_, after := os.Lstat(filepath.Join(dir, c.name))
		if err != nil || got != c.want || (before == nil && after != nil) != c.want {
			t.Errorf("%s: removed: %v (%v), there: %v", c.what, got, err, after == nil)
		}
	}
	if _, err := os.Lstat(filepath.Join(dir, "target")); err != nil {
		t.Errorf("what a link led to is gone: %v", err)
	}
	// A file that took the place of an older one is a new one.
	if err := os.Rename(filepath.Join(dir, "perf-3.map"),
		filepath.Join(dir, "perf-1.map")); err != nil {
		t.Fatal(err)
	}
	if got, err := d.Remove("perf-1.map", self); !got || err != nil {
		t.Errorf("a new file under an old name: %v, %v", got, err)
	}
}
