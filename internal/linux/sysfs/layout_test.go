package sysfs

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// twoPackages has two packages of one core with two threads, a domain for each package, and CPU 4
// offline. core_id is 0 in both packages, as on real machines.
const twoPackages = `
file 0444 devices/system/cpu/online
	0-3
file 0444 devices/system/cpu/present
	0-4
file 0444 devices/system/cpu/cpu0/topology/core_id
	0
file 0444 devices/system/cpu/cpu0/topology/core_cpus_list
	0,2
file 0444 devices/system/cpu/cpu0/topology/physical_package_id
	0
file 0444 devices/system/cpu/cpu1/topology/core_id
	0
file 0444 devices/system/cpu/cpu1/topology/core_cpus_list
	1,3
file 0444 devices/system/cpu/cpu1/topology/physical_package_id
	1
file 0444 devices/system/cpu/cpu2/topology/thread_siblings_list
	0,2
file 0444 devices/system/cpu/cpu2/topology/physical_package_id
	0
file 0444 devices/system/cpu/cpu3/topology/core_cpus_list
	1,3
file 0444 devices/system/cpu/cpu3/topology/physical_package_id
	1
file 0444 devices/system/cpu/cpufreq/policy0/related_cpus
	0 2 4
file 0444 devices/system/cpu/cpufreq/policy1/related_cpus
	1 3
link devices/system/cpu/cpu0/cpufreq ../cpufreq/policy0
`

func read(t *testing.T, tree string) (*Layout, *FS, error) {
	t.Helper()
	fs, err := Open(devtest.Tree(t, tree))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { fs.Close() })
	m, err := ReadLayout(fs)
	return m, fs, err
}

func TestNesting(t *testing.T) {
	m, _, err := read(t, twoPackages)
	if err != nil {
		t.Fatal(err)
	}
	want := []Place{{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 0, 0, 0}, {3, 1, 1, 1}}
	if !reflect.DeepEqual(m.Places, want) {
		t.Errorf("places %v, want %v", m.Places, want)
	}
	for name, c := range map[string]struct{ got, want any }{
		"cores":     {m.Cores(), []Core{0, 1}},
		"packages":  {m.Packages(), []Package{0, 1}},
		"CPUs":      {m.CPUs(), []CPU{0, 1, 2, 3}},
		"package 1": {m.InPackage(1), []CPU{1, 3}},
		"package 7": {m.InPackage(7), []CPU(nil)},
	} {
		if !reflect.DeepEqual(c.got, c.want) {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
	if p, ok := m.Place(4); ok || p.Core != Unknown {
		t.Errorf("CPU 4 is offline, but has a place: %v", p)
	}
	if p, ok := m.Place(3); !ok || p != (Place{3, 1, 1, 1}) {
		t.Errorf("place of CPU 3: %v, %v", p, ok)
	}
}

func TestMissingFiles(t *testing.T) {
	for _, c := range []struct {
		name, tree string
		want       []Place
		kind       error
	}{
		{name: "nothing but the CPUs' directories",
			tree: "dir devices/system/cpu/cpu0\ndir devices/system/cpu/cpu10\n" +
				"dir devices/system/cpu/cpu2\ndir devices/system/cpu/cpuidle\n",
			want: []Place{{0, -1, -1, -1}, {2, -1, -1, -1}, {10, -1, -1, -1}}},
		{name: "garbage",
			tree: "file 0444 devices/system/cpu/online\n\t0-1\n" +
				"file 0444 devices/system/cpu/cpu0/topology/core_cpus_list\n\tzero\n" +
				"file 0444 devices/system/cpu/cpu0/topology/physical_package_id\n\t-1\n" +
				"file 0444 devices/system/cpu/cpu1/topology/core_cpus_list\n\t0\n" +
				"file 0444 devices/system/cpu/cpu1/topology/physical_package_id\n\t3\n" +
				"file 0444 devices/system/cpu/cpufreq/policy0/related_cpus\n\t0 x\n",
			want: []Place{{0, -1, -1, -1}, {1, -1, 3, -1}}},
		{name: "a damaged list of CPUs",
			tree: "file 0444 devices/system/cpu/online\n\t0-\ndir devices/system/cpu/cpu0\n",
			want: []Place{{0, -1, -1, -1}}},
		{name: "no CPU", tree: "dir devices/system/cpu/cpuidle\n", kind: ErrAbsent},
		{name: "no directory", tree: "dir devices\n", kind: ErrAbsent},
	} {
		m, _, err := read(t, c.tree)
		if !errors.Is(err, c.kind) {
			t.Errorf("%s: %v, want %v", c.name, err, c.kind)
		}
		if err == nil && !reflect.DeepEqual(m.Places, c.want) {
			t.Errorf("%s: %v, want %v", c.name, m.Places, c.want)
		}
	}
}

func TestDomains(t *testing.T) {
	_, fs, _ := read(
		t,
		"dir devices/system/cpu/cpufreq/policy10\ndir devices/system/cpu/cpufreq/policy2\n"+
			"dir devices/system/cpu/cpufreq/policy02\ndir devices/system/cpu/cpufreq/policyx\n"+
			"dir devices/system/cpu/cpufreq/ondemand\n",
	)
	if got, err := Domains(fs); err != nil || !reflect.DeepEqual(got, []Domain{2, 10}) {
		t.Errorf("got %v, %v", got, err)
	}
	_, none, _ := read(t, "dir devices/system/cpu\n")
	if got, err := Domains(none); err != nil || got != nil {
		t.Errorf("a machine without: %v, %v", got, err)
	}
	if _, err := DomainCPUs(fs, 2, "related_cpus"); !errors.Is(err, ErrAbsent) {
		t.Errorf("got %v", err)
	}
}

func TestModelName(t *testing.T) {
	for _, c := range []struct {
		cpuinfo, want string
		kind          error
	}{
		{"processor\t: 0\nvendor_id\t: GenuineIntel\n" +
			"model name\t: Intel(R)  Core(TM) i7-4770K CPU @ 3.50GHz\nflags : x\n\nprocessor : 1\n",
			"Intel(R) Core(TM) i7-4770K CPU @ 3.50GHz", nil},
		{"processor\t: 0\nBogoMIPS\t: 243.75\nCPU implementer\t: 0x41\n", "", ErrAbsent},
		{"model name\t:\n", "", ErrAbsent},
		{"flags\t: " + strings.Repeat("x ", 8000) + "\nmodel name\t: beyond what is read\n", "",
			ErrAbsent},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "cpuinfo"), []byte(c.cpuinfo),
			0o644); err != nil {
			t.Fatal(err)
		}
		fs, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := ModelName(fs); got != c.want || !errors.Is(err, c.kind) {
			t.Errorf("got %q, %v; want %q, %v", got, err, c.want, c.kind)
		}
		fs.Close()
	}
}

func TestThisHost(t *testing.T) {
	fs, err := Open("/sys")
	if errors.Is(err, ErrAbsent) {
		t.Skip("no /sys")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer fs.Close()
	m, err := ReadLayout(fs)
	if err != nil {
		t.Fatal(err)
	}
	// The process may be bound to fewer CPUs than are online.
	if len(m.Places) < runtime.NumCPU() {
		t.Errorf("%d CPUs online, but this program may use %d", len(m.Places), runtime.NumCPU())
	}
}
