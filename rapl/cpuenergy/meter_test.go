package cpuenergy

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/units"
)

// TestBetween: a process gets the machine's energy by its part of the busy time; never more than
// all, also where the kernel's coarse count is behind.
func TestBetween(t *testing.T) {
	m := &Meter{busy: busy}
	for _, tc := range []struct {
		cpu, busy time.Duration
		want      units.Energy
	}{{1e9, 4e9, 25e8}, {1e9, 1e9, 1e10}, {1e9, 9e8, 1e10}, {0, 1e9, 0}, {0, 0, 0}} {
		u := m.Between(Reading{PID: 3, at: 1, machine: 5},
			Reading{PID: 3, at: 1 + 2e9, cpu: tc.cpu, busy: tc.busy, machine: 1e10 + 5})
		if u.Energy != tc.want || u.Machine != 1e10 || u.Wall != 2*time.Second ||
			u.Power() != tc.want.Over(2*time.Second) || u.Source != Measured {
			t.Errorf("%v of %v: %+v", tc.cpu, tc.busy, u)
		}
	}
	u := Formula(100, 2).Between(Reading{}, Reading{at: 1e9, cpu: 1e9})
	if u.Energy != 35e9 || u.Source != Modelled {
		t.Errorf("%+v", u)
	}
}

// TestOwnTime: this process's time is that of the kernel's own account, and goes on while it works.
func TestOwnTime(t *testing.T) {
	m := Formula(84, 1)
	from, err := m.Read(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	for u := (Used{}); u.CPU < 20*time.Millisecond; {
		to, err := m.Read(os.Getpid())
		if err != nil {
			t.Fatal(err)
		}
		u = m.Between(from, to)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if u, err := m.Of(ctx, os.Getpid(), time.Hour); err != nil || u.PID != os.Getpid() {
		t.Errorf("%+v, %v", u, err)
	}
	for _, pid := range []int{0, -1, 1 << 30, 1<<22 - 1} {
		if _, err := m.Of(ctx, pid, 0); !errors.Is(err, ErrNoProcess) {
			t.Errorf("%d: %v", pid, err)
		}
	}
}

func TestMeterOfThisMachine(t *testing.T) {
	m, err := Open()
	if errors.Is(err, ErrNoMeter) || errors.Is(err, ErrPermission) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if u, err := m.Of(t.Context(), os.Getpid(), 10*time.Millisecond); err != nil ||
		u.Energy > u.Machine {
		t.Errorf("%+v, %v", u, err)
	}
}

// TestMeterThatWraps: a counter that goes around between two readings of the caller's is followed
// meanwhile.
func TestMeterThatWraps(t *testing.T) {
	const zone = "class/powercap/intel-rapl:0"
	dir := devtest.Tree(t, "file 0444 "+zone+"/name\n\tpackage-0\n"+
		"file 0444 "+zone+"/max_energy_range_uj\n\t1000\n"+
		"file 0600 "+zone+"/energy_uj\n\t100\n")
	var reads atomic.Int64
	fs, err := sysfs.OpenIntercepted(dir, func(path string, f sysfs.File) sysfs.File {
		if filepath.Base(path) == "energy_uj" {
			return counted{f, &reads}
		}
		return f
	})
	if err != nil {
		t.Fatal(err)
	}
	defer fs.Close()
	m, err := open(fs)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	from, err := m.Read(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	counter, err := os.OpenFile(filepath.Join(dir, zone, "energy_uj"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer counter.Close()
	const laps = 3
	for i := range 2 * laps { // 500, 900, 300, 700, ...
		value := 100 + (i+1)*400
		// Written over, so that no reader finds an empty file.
		if _, err := counter.WriteAt([]byte(strconv.Itoa(value%1000)), 0); err != nil {
			t.Fatal(err)
		}
		for n, end := reads.Load(), time.Now().Add(devtest.Hung); reads.Load() < n+2; {
			if time.Now().After(end) {
				t.Fatal("the meter is not read while nobody asks")
			}
			time.Sleep(time.Millisecond)
		}
	}
	to, err := m.Read(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	// 2,400 uJ, and one for each wrap from 1,000 to 0.
	if u := m.Between(from, to); u.Machine < 2_400_000 || u.Machine > 2_410_000 {
		t.Errorf("%v", u.Machine)
	}
}

// counted counts the reads of an attribute.
type counted struct {
	sysfs.File
	reads *atomic.Int64
}

func (c counted) Pread(b []byte, off int64) (int, error) {
	c.reads.Add(1)
	return c.File.Pread(b, off)
}

func FuzzBusy(f *testing.F) {
	f.Add("cpu  1 2 3 4 5 6 7 8 9 10\ncpu0")
	f.Add("cpu  -1")
	f.Fuzz(func(t *testing.T, text string) {
		if d, err := parseBusy(text); err == nil && d < 0 {
			t.Errorf("%v", d)
		}
	})
}
