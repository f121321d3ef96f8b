package cgroup_test

import (
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/cgroup"
)

// most bounds the memory that a small text may take, in bytes.
func most(text string) uint64 { return uint64(1<<20 + 100*len(text)) }

// FuzzState: a unit's state, and a cgroup's population, come only from lines that state them.
func FuzzState(f *testing.F) {
	f.Add("LoadState=loaded\nActiveState=active\nControlGroup=/system.slice/a=b.service\n")
	f.Add("populated 1\nfrozen 0\n")
	f.Add("populated 0\npopulated 1\nLoadState=\n")
	f.Fuzz(func(t *testing.T, text string) {
		devtest.BoundedMemory(t, most(text), func() {
			if load, path, err := cgroup.ParseState(text); err == nil &&
				(load == "" || !strings.Contains(text, path)) {
				t.Errorf("%q, %q", load, path)
			}
			if is, err := cgroup.Populated(text); err == nil && is &&
				!strings.Contains(text, "populated 1") {
				t.Error("populated")
			}
		})
	})
}

// FuzzUnitName: no name that is taken leads out of a directory, or is an option of systemctl.
func FuzzUnitName(f *testing.F) {
	f.Add("nginx")
	f.Add(`dev-disk-by\x2duuid.swap`)
	f.Add("../../x.service")
	f.Add("--root=/x")
	f.Fuzz(func(t *testing.T, name string) {
		devtest.BoundedMemory(t, most(name), func() {
			got, err := cgroup.UnitName(name)
			if err == nil && (strings.ContainsAny(got, "/ \n\x00") || strings.HasPrefix(got, "-") ||
				!strings.Contains(got, ".") || len(got) > 255+len(".service")) {
				t.Errorf("%q of %q", got, name)
			}
		})
	})
}

// FuzzProcesses reads any list of a cgroup's processes, and any /proc/PID/status of one of its
// threads.
func FuzzProcesses(f *testing.F) {
	f.Add("12\n3\n0\n")
	f.Add("12\nx\n")
	f.Add("Name:\ta\nTgid:\t12\nPid:\t13\n")
	f.Fuzz(func(t *testing.T, text string) {
		devtest.BoundedMemory(t, most(text), func() {
			ids, err := cgroup.ParseIDs(text)
			for _, id := range ids {
				if id <= 0 {
					t.Errorf("%d", id)
				}
			}
			if err != nil && len(ids) > 0 {
				t.Errorf("%d and %v", ids, err)
			}
			if pid := cgroup.ParseTgid(text); pid < 0 {
				t.Errorf("%d", pid)
			}
		})
	})
}
