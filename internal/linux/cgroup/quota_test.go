package cgroup

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// root returns a directory with the two files of a hierarchy's root that say what its cgroups get.
func root(t *testing.T, has, gives string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"cgroup.controllers": has,
		"cgroup.subtree_control": gives} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestAbsent checks that where no limited cgroup can be made the error says why, and nothing is
// left.
func TestAbsent(t *testing.T) {
	for _, c := range []struct {
		name, has, gives string
		want             error
	}{{"version 1 has the controller", "memory pids\n", "memory\n", ErrNoController},
		{"cgroups are not given it", "cpu memory\n", "memory\n", ErrNotGiven},
		{"another's name", "cpuset\n", "cpuset\n", ErrNoController},
		{"the limit is missing", "cpu\n", "cpu\n", fs.ErrNotExist}} {
		t.Run(c.name, func(t *testing.T) {
			dir := root(t, c.has, c.gives)
			if g, err := below(dir, time.Second, time.Second); g != nil || !errors.Is(err, c.want) {
				t.Errorf("%v, %v", g, err)
			}
			if _, err := os.Stat(filepath.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) {
				t.Error("a directory is left: ", err)
			}
		})
	}
	if _, err := below(t.TempDir(), time.Second, time.Second); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// TestOccupied checks that a directory that is not empty, or no cgroup, is left as it is.
func TestOccupied(t *testing.T) {
	dir := root(t, "cpu", "cpu")
	file := filepath.Join(dir, name, "file")
	if err := errors.Join(os.Mkdir(filepath.Dir(file), 0o700),
		os.WriteFile(file, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := below(dir, time.Second, time.Second); err == nil {
		t.Error("it took over what is not empty")
	}
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
	if err := Join(filepath.Dir(file)); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// TestInUse checks that the cgroup of another ebb that runs is left to it, though nothing is in it
// between rounds; that of one that ended is not.
func TestInUse(t *testing.T) {
	dir := root(t, "cpu", "cpu")
	own := filepath.Join(dir, name)
	if err := os.Mkdir(own, 0o700); err != nil {
		t.Fatal(err)
	}
	other, err := locked(own)
	if other == nil || err != nil {
		t.Skip("directories cannot be locked here: ", err)
	}
	if _, err := below(dir, time.Second, time.Second); !errors.Is(err, ErrInUse) {
		t.Error(err)
	}
	if _, err := os.Stat(own); err != nil {
		t.Error(err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	if err := vacate(own); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(own); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// TestGroup makes a limited cgroup where the kernel has such ones: it has an account, and goes.
func TestGroup(t *testing.T) {
	g, err := NewQuota(50*time.Millisecond, 100*time.Millisecond)
	if errors.Is(err, ErrNoHierarchy) || errors.Is(err, ErrNoController) ||
		errors.Is(err, ErrNotGiven) || errors.Is(err, fs.ErrPermission) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if held, err := g.Throttled(); held != 0 || err != nil {
		t.Errorf("%v, %v", held, err)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}
