package rapl

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/units"
)

// TestSums: Sums has the cores' energy only if each package has a meter of its cores.
func TestSums(t *testing.T) {
	zone := func(id, name string) string {
		dir := "class/powercap/intel-rapl:" + id
		return "file 0444 " + dir + "/name\n\t" + name + "\nfile 0444 " + dir +
			"/max_energy_range_uj\n\t262143328850\nfile 0600 " + dir + "/energy_uj\n\t1000\n"
	}
	for _, tc := range []struct {
		what             string
		tree             string
		pkg, cores, dram units.Energy // mJ used
	}{
		{"package", zone("0", "package-0"), 7, 0, 0},
		{"with memory", zone("0", "package-0") + zone("0:0", "dram"), 7, 0, 7},
		{"with cores", zone("0", "package-0") + zone("0:0", "core") + zone("0:1", "dram"), 7, 7, 7},
		{"two with cores", zone("0", "package-0") + zone("0:0", "core") + zone("1", "package-1") +
			zone("1:0", "core"), 14, 14, 0},
		{"cores of one of two", zone("0", "package-0") + zone("0:0", "core") +
			zone("1", "package-1"), 14, 0, 0},
	} {
		// Without a power limit the cores' zone would be AMD's, which is one core's.
		tree := devtest.Tree(t, tc.tree+
			"file 0444 class/powercap/intel-rapl:0/constraint_0_name\n\tlong_term\n"+
			"file 0444 class/powercap/intel-rapl:1/constraint_0_name\n\tlong_term\n")
		fs, err := sysfs.Open(tree)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { fs.Close() })
		m, err := Open(fs)
		if err != nil {
			t.Fatalf("%s: %v", tc.what, err)
		}
		t.Cleanup(func() { m.Close() })
		pkg, cores, dram, ok := Sums(m.Read(1e9, nil))
		if pkg != 0 || cores != 0 || dram != 0 || !ok {
			t.Errorf("%s: at first %v, %v, %v, %v", tc.what, pkg, cores, dram, ok)
		}
		meters, err := filepath.Glob(filepath.Join(tree, "class/powercap/*/energy_uj"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range meters {
			if err := os.WriteFile(file, []byte("8000\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		const mJ = units.Energy(1_000_000)
		pkg, cores, dram, ok = Sums(m.Read(1.1e9, nil))
		if pkg != tc.pkg*mJ || cores != tc.cores*mJ || dram != tc.dram*mJ || !ok {
			t.Errorf("%s: %v, %v, %v, %v, want %d, %d, %d mJ", tc.what, pkg, cores, dram, ok,
				tc.pkg, tc.cores, tc.dram)
		}
	}
}

// TestMemoryStaysInTheSum: memory that stands still keeps what it has used in the sum. A reading of
// it that fails leaves the sum unknown, and nothing is lost after it.
func TestMemoryStaysInTheSum(t *testing.T) {
	pkg := Reading{Zone: Zone{Kind: Package}, Energy: 100}
	dram := Reading{Zone: Zone{Kind: Memory}, Energy: 40}
	check := func(what string, want units.Energy, wantOK bool) {
		t.Helper()
		if _, _, got, ok := Sums([]Reading{pkg, dram}); got != want || ok != wantOK {
			t.Errorf("%s: %v, %v; want %v, %v", what, got, ok, want, wantOK)
		}
	}
	check("at work", 40, true)
	dram.Frozen = true
	check("at rest", 40, true)
	dram.Frozen, dram.Err = false, syscall.EIO
	check("not read", 0, false)
	dram.Energy, dram.Err = 50, nil
	check("read again", 50, true)
}

// TestKeepUp: due is called after a period without a reading, again after the next one, and not
// once KeepUp has stopped.
func TestKeepUp(t *testing.T) {
	tree := devtest.Tree(t, "file 0444 class/powercap/intel-rapl:0/name\n\tpackage-0\n"+
		"file 0444 class/powercap/intel-rapl:0/max_energy_range_uj\n\t1000\n"+
		"file 0600 class/powercap/intel-rapl:0/energy_uj\n\t1\n")
	fs, err := sysfs.Open(tree)
	if err != nil {
		t.Fatal(err)
	}
	defer fs.Close()
	m, err := Open(fs)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if m.Period() != leastPeriod {
		t.Fatalf("the period is %v, want %v", m.Period(), leastPeriod)
	}
	begin := time.Now()
	due := make(chan time.Duration, 100)
	stop := m.KeepUp(func() {
		due <- time.Since(begin)
		m.Read(units.Instant(time.Since(begin)), nil)
	})
	for i := range 2 {
		if at := <-due; at < time.Duration(i+1)*leastPeriod {
			t.Errorf("reading %d was due after %v", i+1, at)
		}
	}
	stop()
	asked := len(due)
	time.Sleep(2 * leastPeriod)
	if len(due) != asked {
		t.Error("a reading was due after the end")
	}
}
