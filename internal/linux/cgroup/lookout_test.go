package cgroup_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/cgroup"
)

// looking makes a lookout send its changes to a channel until the test ends.
type looking struct {
	t     *testing.T
	l     *cgroup.Lookout
	heard chan cgroup.Change
}

func look(t *testing.T, dirs ...string) *looking {
	t.Helper()
	l, err := cgroup.NewLookout()
	if err != nil {
		t.Skip(err)
	}
	k := &looking{t, l, make(chan cgroup.Change, 1000)}
	for _, dir := range dirs {
		_, now, err := l.Watch(dir)
		if err != nil {
			t.Fatal(err)
		}
		k.hear(now)
	}
	over := make(chan error, 1)
	go func() {
		for {
			changes, err := l.Next()
			k.hear(changes)
			if errors.Is(err, os.ErrDeadlineExceeded) {
				err = l.Resume()
			}
			if err != nil {
				over <- err
				return
			}
		}
	}()
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		if err := <-over; !errors.Is(err, os.ErrClosed) {
			t.Error(err)
		}
		l.Release()
	})
	return k
}

func (l *looking) hear(changes []cgroup.Change) {
	for _, c := range changes {
		if c.Cgroup != nil {
			_ = c.Cgroup.Close()
		}
		l.heard <- c
	}
}

// until waits for a change of a path and returns its cgroup.
func (l *looking) until(path int, what cgroup.What) cgroup.Change {
	l.t.Helper()
	for c := range l.heard {
		if c.Path == path && c.What == what {
			return c
		}
	}
	return cgroup.Change{}
}

// TestLookout: a cgroup is made below others that are not there either, filled, emptied, removed
// and made anew, at a place beside another that only has a like name.
func TestLookout(t *testing.T) {
	top := devtest.Cgroup(t)
	dir := filepath.Join(top, "a", "b", "c")
	like := filepath.Join(top, "a", "b", "c2")
	k := look(t, dir, top, like)
	if c := k.until(1, cgroup.Made); c.Filled {
		t.Error("an empty one is filled")
	}
	ids := map[uint64]bool{}
	for round := range 3 {
		for _, d := range []string{filepath.Dir(filepath.Dir(dir)), filepath.Dir(dir), dir} {
			if err := os.Mkdir(d, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
				t.Fatal(err)
			}
		}
		made := k.until(0, cgroup.Made)
		if made.ID == 0 || ids[made.ID] || made.Filled {
			t.Errorf("round %d: %+v after %v", round, made, ids)
		}
		ids[made.ID] = true
		p := sleeper(t, dir)
		_ = p.Process.Kill()
		_ = p.Wait()
		if c := k.until(0, cgroup.Emptied); c.ID != made.ID {
			t.Errorf("round %d: %+v is not %d", round, c, made.ID)
		}
		devtest.RemoveCgroup(t, filepath.Join(top, "a"))
		if c := k.until(0, cgroup.Removed); c.ID != made.ID {
			t.Errorf("round %d: %+v is not %d", round, c, made.ID)
		}
	}
	devtest.RemoveCgroup(t, top)
	k.until(1, cgroup.Removed)
	for {
		select {
		case c := <-k.heard:
			if c.Path == 2 {
				t.Errorf("of one that was never there: %+v", c)
			}
			continue
		default:
		}
		return
	}
}

// TestLookoutFindsWhatIsThere checks that a cgroup that is there, with a process in it, is found at
// once, and that one that a process leaves is empty.
func TestLookoutFindsWhatIsThere(t *testing.T) {
	dir, other := devtest.Cgroup(t), devtest.Cgroup(t)
	p := sleeper(t, dir)
	k := look(t, dir, other)
	if c := k.until(0, cgroup.Made); !c.Filled {
		t.Errorf("%+v is not filled", c)
	}
	devtest.JoinCgroup(t, other, p.Process.Pid)
	k.until(0, cgroup.Emptied)
}

// TestLookoutForgets checks that many cgroups that come and go leave no watch behind.
func TestLookoutForgets(t *testing.T) {
	top := devtest.Cgroup(t)
	dir := filepath.Join(top, "x", "y")
	k := look(t, dir)
	watches := func() int {
		n := 0
		all, _ := filepath.Glob("/proc/self/fdinfo/*")
		for _, f := range all {
			text, _ := os.ReadFile(f)
			n += strings.Count(string(text), "inotify wd:")
		}
		return n
	}
	var seen []int
	for range 20 {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		k.until(0, cgroup.Made)
		devtest.RemoveCgroup(t, filepath.Join(top, "x"))
		k.until(0, cgroup.Removed)
		seen = append(seen, watches())
	}
	if most := slices.Max(seen); most > 8 {
		t.Errorf("watches after each round: %v", seen)
	}
}

func TestDirectory(t *testing.T) {
	root, err := cgroup.Root()
	if err != nil {
		t.Skip(err)
	}
	dir := devtest.Cgroup(t)
	below := strings.TrimPrefix(dir, root)
	for name, want := range map[string]string{
		dir: dir, below: dir, strings.TrimPrefix(below, "/"): dir,
		dir + "/no/such": dir + "/no/such", below + "/no": dir + "/no",
		"/system.slice/none.service": root + "/system.slice/none.service",
	} {
		if got, err := cgroup.Directory(name); err != nil || got != want {
			t.Errorf("%s is at %s, %v; want %s", name, got, err, want)
		}
	}
	none := []string{"/sys/kernel/none", "/etc/passwd", dir + "/cgroup.procs"}
	if _, err := os.Stat("/sys/fs/cgroup/cpu/cgroup.procs"); err == nil {
		none = append(none, "/sys/fs/cgroup/cpu") // of version 1
	}
	for _, name := range none {
		if got, err := cgroup.Directory(name); !errors.Is(err, cgroup.ErrNoCgroup) {
			t.Errorf("%s is at %s, %v", name, got, err)
		}
	}
}

// TestPathOfADirectoryToo: a path in the hierarchy is that cgroup also where the disk has a
// directory of that name.
func TestPathOfADirectoryToo(t *testing.T) {
	root, err := cgroup.Root()
	if err != nil {
		t.Skip(err)
	}
	disk := t.TempDir()
	top := "/" + strings.Split(disk, "/")[1] // such as /tmp
	made := root + top
	if err := os.Mkdir(made, 0o755); err != nil {
		t.Skip(err) // not this user's, or another's
	}
	t.Cleanup(func() {
		if err := os.Remove(made); err != nil {
			t.Error(err)
		}
	})
	if got, err := cgroup.Directory(top); err != nil || got != made {
		t.Errorf("%s is at %s, %v; want %s", top, got, err, made)
	}
	c, err := cgroup.Open(top)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if c.Name != top {
		t.Errorf("opened %s, want %s", c.Name, top)
	}
	if got, err := cgroup.Directory(disk); !errors.Is(err, cgroup.ErrNoCgroup) {
		t.Errorf("%s is at %s, %v", disk, got, err)
	}
}

// TestPlace: where a unit's cgroup is, or will be.
func TestPlace(t *testing.T) {
	root, err := cgroup.Root()
	if err != nil {
		t.Skip(err)
	}
	dir := devtest.Cgroup(t)
	devtest.ChildCgroup(t, dir, "ebb-test-p.service")
	for name, c := range map[string]struct {
		systemd, unit, want, guessed string
	}{
		"it runs": {"echo LoadState=loaded; echo ActiveState=active; echo Slice=system.slice; " +
			"echo ControlGroup=/a.slice/x.service", "x", root + "/a.slice/x.service", ""},
		"it will": {"echo LoadState=loaded; echo ActiveState=inactive; echo ControlGroup=; " +
			"echo Slice=a-b.slice", "x.service", root + "/a.slice/a-b.slice/x.service", ""},
		"at the root": {"echo LoadState=loaded; echo Slice=-.slice", "x", root + "/x.service", ""},
		"unknown": {"echo LoadState=not-found", "x", root + "/system.slice/x.service",
			"does not know"},
		"no systemd": {"exit 1", "ebb-test-none", root + "/system.slice/ebb-test-none.service",
			"cannot be asked"},
		// Anybody may have made a cgroup of that name in a part that is theirs.
		"another's": {"exit 1", "ebb-test-p", root + "/system.slice/ebb-test-p.service",
			"cannot be asked"},
		"another's and unknown": {"echo LoadState=not-found", "ebb-test-p",
			root + "/system.slice/ebb-test-p.service", "does not know"},
	} {
		t.Run(name, func(t *testing.T) {
			fakeSystemd(t, c.systemd)
			got, guessed, err := cgroup.UnitDirectory(c.unit)
			if err != nil || got != c.want || !strings.Contains(guessed, c.guessed) ||
				(guessed == "") != (c.guessed == "") {
				t.Errorf("%s (%q), %v; want %s (%q)", got, guessed, err, c.want, c.guessed)
			}
		})
	}
	if _, _, err := cgroup.UnitDirectory("a/b"); !errors.Is(err, cgroup.ErrNoUnit) {
		t.Error(fmt.Sprint(err))
	}
}

// TestLookoutHasAPace: whoever makes and removes cgroups beside one that is looked for has no
// reading for each, and the one that is looked for is seen.
func TestLookoutHasAPace(t *testing.T) {
	top := devtest.Cgroup(t)
	l, err := cgroup.NewLookout()
	if err != nil {
		t.Skip(err)
	}
	defer l.Release()
	if _, _, err := l.Watch(filepath.Join(top, "wanted")); err != nil {
		t.Fatal(err)
	}
	made, over := make(chan bool, 9), make(chan error, 1)
	began := time.Now()
	go func() {
		for {
			changes, err := l.Next()
			for _, c := range changes {
				if c.Cgroup != nil {
					_ = c.Cgroup.Close()
				}
				made <- c.What == cgroup.Made
			}
			if err != nil {
				over <- err
				return
			}
		}
	}()
	for range 300 {
		if err := os.Remove(devtest.ChildCgroup(t, top, "other")); err != nil {
			t.Fatal(err)
		}
	}
	devtest.ChildCgroup(t, top, "wanted")
	if !<-made {
		t.Error("the one that is looked for is removed first")
	}
	_ = l.Close()
	if err := <-over; !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
	took := time.Since(began)
	if n, most := l.Readings(), int(took/cgroup.ReadEvery)+1; n > most {
		t.Errorf("%d readings in %v, want at most %d", n, took, most)
	}
}
