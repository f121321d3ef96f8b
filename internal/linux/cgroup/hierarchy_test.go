package cgroup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
