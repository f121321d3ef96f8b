package cgroup_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/cgroup"
)

// TestLookoutLooksAgain: where the process may open no more files, a cgroup that is made is
// reported once as failed, those that are open are reported as ever, and when files may be opened
// again the cgroup is found, though nothing else happens to it.
func TestLookoutLooksAgain(t *testing.T) {
	top := devtest.Cgroup(t)
	other := devtest.ChildCgroup(t, top, "other")
	dir := filepath.Join(top, "dir")
	k := look(t, dir, other)
	k.until(1, cgroup.Made)
	allow := noMoreFiles(t)
	defer allow()
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	c := k.until(0, cgroup.Failed)
	if !errors.Is(c.Err, unix.EMFILE) {
		t.Errorf("it failed with %v", c.Err)
	}
	if err := os.Remove(other); err != nil {
		t.Fatal(err)
	}
	k.until(1, cgroup.Removed)
	allow()
	again := <-k.heard
	for again.Path != 0 { // the removed one's place is tried as well
		again = <-k.heard
	}
	if again.What != cgroup.Made {
		t.Errorf("then came %+v", again)
	}
}

// noMoreFiles has the process open no more files until allow is called.
func noMoreFiles(t *testing.T) (allow func()) {
	t.Helper()
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	now := before
	now.Cur = 0
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &now); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &before); err != nil {
			t.Error(err)
		}
	}
}
