package cgroup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

const (
	unified = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
	legacy  = `24 20 0:20 / /sys/fs/cgroup ro,nosuid - tmpfs tmpfs ro,mode=755
25 24 0:21 / /sys/fs/cgroup/systemd rw,nosuid - cgroup cgroup rw,xattr,name=systemd
26 24 0:22 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid - cgroup cgroup rw,cpu,cpuacct
27 24 0:23 / /sys/fs/cgroup/memory rw,nosuid - cgroup cgroup rw,memory
28 24 0:24 / /sys/fs/cgroup/freezer rw,nosuid - cgroup cgroup rw,freezer
`
	hybrid = legacy + "29 24 0:25 / /sys/fs/cgroup/unified rw,nosuid - cgroup2 cgroup2 rw\n"
	table  = "#subsys_name\thierarchy\tnum_cgroups\tenabled\ncpu\t1\t%d\t1\ncpuacct\t1\t%d\t1\n" +
		"memory\t3\t%d\t1\nfreezer\t4\t%d\t1\n"
)

func TestChoose(t *testing.T) {
	few, units := fmt.Sprintf(table, 1, 1, 1, 1), fmt.Sprintf(table, 4, 4, 70, 1)
	slurm := fmt.Sprintf(table, 1, 1, 1, 12)
	for _, c := range []struct {
		what, name, mounts, cgroups, controllers string
		want, at                                 string
	}{
		{"version 2", "", unified, "", "cpuset cpu io memory pids\n", "v2", "/sys/fs/cgroup"},
		{"version 1 with units", "", legacy, units, "", "memory", "/sys/fs/cgroup/memory"},
		{"jobs that are frozen alone", "", hybrid, slurm, "", "freezer", "/sys/fs/cgroup/freezer"},
		{"hybrid, controllers with version 1", "", hybrid, units, "", "memory",
			"/sys/fs/cgroup/memory"},
		{"hybrid, a controller that puts nothing apart", "", hybrid, units, "hugetlb\n", "memory",
			"/sys/fs/cgroup/memory"},
		{"hybrid, memory moved", "", hybrid, units, "memory\n", "v2", "/sys/fs/cgroup/unified"},
		{"hybrid, nobody uses version 1", "", hybrid, few, "", "v2", "/sys/fs/cgroup/unified"},
		{"asked for", "cpuacct", hybrid, units, "memory\n", "cpuacct",
			"/sys/fs/cgroup/cpu,cpuacct"},
		{"asked for version 2", "v2", hybrid, units, "", "v2", "/sys/fs/cgroup/unified"},
		{"not there", "rdma", hybrid, units, "", "", ""},
		{"nothing", "", "", "", "", "", ""},
		{"a root alone, and no version 2", "", legacy, few, "", "", ""},
		{"a container's part first", "", "1 2 0:26 /x /mnt/a rw - cgroup2 none rw\n" +
			"1 2 0:26 / /mnt/with\\040space rw - cgroup2 none rw\n" +
			"1 2 0:26 / /mnt/c rw - cgroup2 none rw\n", "", "cpu", "v2", "/mnt/with space"},
		{"no mountinfo", "", "x\n - cgroup2\n1 2 3 - \n", "\x00", "cpu", "", ""},
	} {
		m, err := choose(c.name, c.mounts, c.cgroups, c.controllers)
		if c.want == "" {
			if !errors.Is(err, ErrNotMounted) {
				t.Errorf("%s: %v, %v", c.what, m, err)
			}
			continue
		}
		if err != nil || m.name != c.want || m.at != c.at {
			t.Errorf("%s: %v, %v; want %s at %s", c.what, m, err, c.want, c.at)
		}
	}
}

func FuzzMounts(f *testing.F) {
	f.Add(hybrid, fmt.Sprintf(table, 1, 2, 3, 4))
	f.Add("1 2 3 / \\04 x - cgroup cgroup rw,memory", "memory\t1\t-5\t1")
	f.Fuzz(func(t *testing.T, mountinfo, cgroups string) {
		if m, err := choose("", mountinfo, cgroups, ""); err == nil && m.name == "" {
			t.Errorf("a hierarchy without a name at %q", m.at)
		}
	})
}

// TestPaths: each hierarchy that is mounted here finds its cgroups by their numbers.
func TestPaths(t *testing.T) {
	mountinfo, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Skip(err)
	}
	for _, m := range mountsOf(string(mountinfo)) {
		h, err := OpenHierarchy(m.name)
		if err != nil {
			t.Logf("%s: %v", m.name, err)
			continue
		}
		t.Cleanup(func() { h.Close() })
		long := strings.Repeat("x\t\\", 60)[:150]
		name := fmt.Sprintf("ebb-%d%s", os.Getpid(), long)
		dir := filepath.Join(h.Root, name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Logf("%s: %v", m.name, err)
			continue
		}
		inside := &Hierarchy{}
		if inside.dir, err = os.Open(dir); err != nil {
			t.Fatal(err)
		}
		id := inside.rootID()
		inside.dir.Close()
		if path, err := h.Path(id); path != "/"+name || err != nil || h.Gone(id) {
			t.Errorf("%s: %q, %v", m.name, path, err)
		}
		if err := os.Remove(dir); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Path(id); !errors.Is(err, ErrGone) || !h.Gone(id) {
			t.Errorf("%s: a removed cgroup: %v", m.name, err)
		}
		if path, err := h.Path(h.rootID()); path != "/" || err != nil {
			t.Errorf("%s: the root is %q, %v", m.name, path, err)
		}
	}
}

// TestDeepPaths: of a path that is too long for the kernel the begin is known, however deep the
// cgroup is. A cgroup whose name says that it was deleted was not.
func TestDeepPaths(t *testing.T) {
	h, err := OpenHierarchy("")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { h.Close() })
	for _, c := range []struct {
		name   string
		depth  int
		prefix bool
	}{{strings.Repeat("n", 250), 50, true}, {"y (deleted)", 1, false}} {
		path := "/" + fmt.Sprintf("ebb-deep-%d-%d", os.Getpid(), c.depth)
		above := []int{unix.AT_FDCWD} // descriptors of the cgroups, from the root on
		names := []string{h.Root + path}
		for range c.depth {
			names = append(names, c.name)
			path += "/" + c.name
		}
		for i, name := range names {
			if err := unix.Mkdirat(above[i], name, 0o755); err != nil {
				t.Skip(err)
			}
			t.Cleanup(func() {
				if err := unix.Unlinkat(above[i], name, unix.AT_REMOVEDIR); err != nil {
					t.Error(err)
				}
			})
			fd, err := unix.Openat(above[i], name, unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { unix.Close(fd) })
			above = append(above, fd)
		}
		var st unix.Stat_t
		if err := unix.Fstat(above[len(above)-1], &st); err != nil {
			t.Fatal(err)
		}
		got, err := h.Path(st.Ino)
		if c.prefix {
			if err != nil || !strings.HasPrefix(path, got+"/") || strings.Count(got, "/") < 8 {
				t.Errorf("%d parts: %q, %v", c.depth, got, err)
			}
		} else if err != nil || got != path || h.Gone(st.Ino) {
			t.Errorf("%q, %v; want %q", got, err, path)
		}
	}
}

// TestGoneWhileRead: a cgroup that is removed between its opening and the reading of its path has
// no name. The kernel then says that the path was deleted.
func TestGoneWhileRead(t *testing.T) {
	h, err := OpenHierarchy("")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { h.Close() })
	dir := filepath.Join(h.Root, fmt.Sprintf("ebb-gone-%d", os.Getpid()))
	stop := make(chan struct{})
	ids := make(chan uint64, 1)
	over := make(chan struct{})
	go func() {
		defer close(over)
		for {
			var st unix.Stat_t
			if unix.Mkdir(dir, 0o755) != nil || unix.Stat(dir, &st) != nil {
				return
			}
			select {
			case ids <- st.Ino:
			case <-stop:
			}
			if unix.Rmdir(dir) != nil {
				return
			}
			select {
			case <-stop:
				return
			default:
			}
		}
	}()
	for range 2000 {
		select {
		case id := <-ids:
			path, err := h.Path(id)
			if err == nil && strings.HasSuffix(path, "(deleted)") {
				t.Errorf("it is called %q", path)
			} else if err != nil && !errors.Is(err, ErrGone) {
				t.Error(err)
			}
		case <-over:
			t.Skip("no cgroup can be made")
		}
		if t.Failed() {
			break
		}
	}
	close(stop)
	for {
		select {
		case <-ids:
		case <-over:
			return
		}
	}
}
