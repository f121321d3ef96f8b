package host

import (
	"strings"
	"syscall"
	"testing"

	"github.com/ebb-energy/ebb/internal/app/bench"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
)

const meters = devtest.Desktop + `
file 0444 class/powercap/intel-rapl:0/name
	package-0
file 0444 class/powercap/intel-rapl:0/max_energy_range_uj
	99999999999
file 0444 class/powercap/intel-rapl:0/energy_uj
	99999000000
file 0444 class/powercap/intel-rapl:0:0/name
	dram
file 0444 class/powercap/intel-rapl:0:0/max_energy_range_uj
	99999999999
file 0444 class/powercap/intel-rapl:0:0/energy_uj
	5
`

// count has the package's counter wrap around while the program runs.
const count = `C="$S/class/powercap/intel-rapl:0"; echo 1000000 >"$C/energy_uj"; echo 250005 >"$C:0/energy_uj"`

// metered lays a tree with meters.
func metered(t *testing.T, script string) *bed {
	t.Helper()
	return lay(t, meters, script, func(c *Config) {
		m, closeMeter, err := OpenMeter(c.Sysfs)
		if err != nil || m == nil {
			t.Fatalf("meter %v, %v", m, err)
		}
		t.Cleanup(func() {
			if err := closeMeter(); err != nil {
				t.Error(err)
			}
		})
		c.Meter = m
	}, nil)
}

func TestEnergyIsMeasured(t *testing.T) {
	for _, s := range []bench.Setting{{Kind: bench.Static, Frequency: ghz}, {Kind: bench.Default}} {
		b := metered(t, count)
		if b.Source() != bench.Measured {
			t.Errorf("source %s", b.Source())
		}
		m, err := b.Run(t.Context(), s, 1)
		if err != nil {
			t.Fatal(err)
		}
		p, _ := m.Energy(bench.Processor)
		d, ok := m.Energy(bench.Memory)
		// 999999 uJ to the end of the range, and 1 J after it.
		if !ok || p < 1_999_000_000 || p > 2_000_001_000 || d != 250_000_000 ||
			m.Source != bench.Measured {
			t.Errorf("%s: %+v", s, m)
		}
	}
}

func TestMeterThatStandsStill(t *testing.T) {
	b := metered(t, "true")
	if _, err := b.Run(t.Context(), bench.Setting{Kind: bench.Default}, 1); err == nil ||
		!strings.Contains(err.Error(), "stood still") {
		t.Errorf("%v", err)
	}
	// Why a program failed is more important than what its meters say.
	b = metered(t, "exit 9")
	if _, err := b.Run(t.Context(), bench.Setting{Kind: bench.Default}, 1); err == nil ||
		!strings.Contains(err.Error(), "exit status 9") || strings.Contains(err.Error(), "still") {
		t.Errorf("%v", err)
	}
}

func TestMeterThatIsReset(t *testing.T) {
	// A leap that no machine has the power for.
	b := metered(t, `echo 40000000000 >"$S/class/powercap/intel-rapl:0/energy_uj"`)
	if _, err := b.Run(t.Context(), bench.Setting{Kind: bench.Default}, 1); err == nil ||
		!strings.Contains(err.Error(), "reset") {
		t.Errorf("%v", err)
	}
}

func TestNoMeter(t *testing.T) {
	fs, err := sysfs.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer fs.Close()
	m, closeMeter, err := OpenMeter(fs)
	if m != nil || err != nil || closeMeter() != nil {
		t.Errorf("%v, %v", m, err)
	}
}

// broken is a meter that fails once it is open.
type broken struct {
	sysfs.File
	now *bool
}

func (b broken) Pread(p []byte, off int64) (int, error) {
	if *b.now {
		return 0, syscall.EIO
	}
	return b.File.Pread(p, off)
}

// TestNoKeeperOfAFailedReading: where a first reading fails nobody ends the run, so nothing may go
// on reading the meter.
func TestNoKeeperOfAFailedReading(t *testing.T) {
	fails := false
	fs, err := sysfs.OpenIntercepted(devtest.Tree(t, meters),
		func(_ string, f sysfs.File) sysfs.File { return broken{f, &fails} })
	if err != nil {
		t.Fatal(err)
	}
	defer fs.Close()
	open, shut, err := OpenMeter(fs)
	if err != nil {
		t.Fatal(err)
	}
	defer shut()
	fails = true
	m := open.(*raplMeter)
	if err := m.Begin(); err == nil || m.stop != nil {
		t.Errorf("%v, and a keeper: %v", err, m.stop != nil)
	}
}
