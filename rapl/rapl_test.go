package rapl

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/units"
)

// tree makes a tree of testdata, with an interceptor or nil, and returns its directory too.
func tree(t *testing.T, name string, i sysfs.Interceptor) (*sysfs.FS, string) {
	t.Helper()
	text := ""
	if name != "" {
		b, err := os.ReadFile(filepath.Join("testdata", "trees", name+".tree"))
		if err != nil {
			t.Fatal(err)
		}
		text = string(b)
	}
	dir := devtest.Tree(t, text)
	fs, err := sysfs.OpenIntercepted(dir, i)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { fs.Close() })
	return fs, dir
}

// noPMU refuses every event, as a kernel may.
func noPMU(uint32, *pmuEvent, sysfs.CPU) (meter, error) { return nil, syscall.EACCES }

func openTree(t *testing.T, fs *sysfs.FS, events eventOpener) *Meters {
	t.Helper()
	m, err := open(fs, events)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

func names(zones []Zone) (out []string) {
	for i := range zones {
		out = append(out, zones[i].Name())
	}
	return out
}

func TestZones(t *testing.T) {
	for name, tt := range map[string]struct {
		zones []string
		left  []string
	}{
		"intel-client": {zones: []string{"package-0", "cores-0", "graphics-0", "dram-0", "psys"}},
		"two-sockets":  {zones: []string{"package-0", "package-1", "package-1-die-1", "dram-0"}},
		"amd-mirrored": {zones: []string{"package-0"}, left: []string{"package-0-die-1"}},
		"power-pmu":    {zones: []string{"package-0"}},
	} {
		t.Run(name, func(t *testing.T) {
			fs, _ := tree(t, name, nil)
			m := openTree(t, fs, noPMU)
			if got := names(m.Zones()); !slices.Equal(got, tt.zones) {
				t.Errorf("zones %v, want %v", got, tt.zones)
			}
			var left []string
			for _, l := range m.Left {
				left = append(left, l.Zone.Name())
			}
			if !slices.Equal(left, tt.left) {
				t.Errorf("left out %v, want %v", left, tt.left)
			}
		})
	}
}

// fixed is a meter of the PMU that shows a number.
type fixed units.Energy

func (f fixed) read() (units.Energy, error) { return units.Energy(f), nil }
func (f fixed) close() error                { return nil }

// TestAZoneOfThePMUIsReadOnce: a zone that the PMU has is not read a second time through powercap,
// and one that it describes badly is not opened.
func TestAZoneOfThePMUIsReadOnce(t *testing.T) {
	fs, _ := tree(t, "power-pmu", nil)
	type call struct {
		kind   uint32
		config uint64
		cpu    sysfs.CPU
	}
	var calls []call
	m := openTree(t, fs, func(kind uint32, e *pmuEvent, cpu sysfs.CPU) (meter, error) {
		calls = append(calls, call{kind, e.config, cpu})
		return fixed(len(calls)), nil
	})
	if want := []call{{23, 2, 0}, {23, 2, 2}, {23, 3, 0}, {23, 3, 2}}; !slices.Equal(calls, want) {
		t.Errorf("opened %v, want %v", calls, want)
	}
	if got, want := names(m.Zones()), []string{"package-0", "package-1", "dram-0",
		"dram-1"}; !slices.Equal(got, want) {
		t.Errorf("zones %v, want %v", got, want)
	}
	for _, z := range m.Zones() {
		if z.Source != powerPMU {
			t.Errorf("%s is read by %s", z.Name(), z.Source)
		}
	}
}

// set writes the value of a powercap zone, as time does.
func set(t *testing.T, dir, zone, value string) {
	t.Helper()
	path := filepath.Join(dir, "class/powercap", zone, "energy_uj")
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(value+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestRead(t *testing.T) {
	fs, dir := tree(t, "intel-client", nil)
	m := openTree(t, fs, noPMU)
	m.Read(0, nil)
	set(t, dir, "intel-rapl:0", "1500000")
	set(t, dir, "intel-rapl:0:2", "garbage")
	set(t, dir, "intel-rapl:1", "12") // the counter was reset
	got := m.Read(1000*ms, nil)
	byName := map[string]*Reading{}
	for i := range got {
		byName[got[i].Zone.Name()] = &got[i]
	}
	if r := byName["package-0"]; r.Energy != 500_000_000 || r.Err != nil || r.Frozen ||
		r.Resets != 0 {
		t.Errorf("package: %+v", r)
	}
	if r := byName["cores-0"]; r.Energy != 0 || !r.Frozen {
		t.Errorf("cores, which stood still: %+v", r)
	}
	if r := byName["dram-0"]; !errors.Is(r.Err, sysfs.ErrMalformed) {
		t.Errorf("memory, which shows garbage: %+v", r)
	}
	if r := byName["psys"]; r.Energy != 0 || r.Resets != 1 {
		t.Errorf("platform, which was reset: %+v", r)
	}
	// The gap of a failed reading is covered by the next one.
	set(t, dir, "intel-rapl:0:2", "200700")
	if r := m.Read(2000*ms, nil)[3]; r.Energy != 700_000 || r.Err != nil {
		t.Errorf("memory, readable again: %+v", r)
	}
}

// TestNeverRead: a zone whose counter cannot be read at the start is named with the reason, and has
// no energy.
func TestNeverRead(t *testing.T) {
	for _, text := range []string{"", "abc", "-5", "18446744073709551615", "1 J"} {
		fs, dir := tree(t, "intel-client", nil)
		set(t, dir, "intel-rapl:0:2", text)
		m := openTree(t, fs, noPMU)
		if len(m.Left) != 1 || m.Left[0].Zone.Name() != "dram-0" ||
			!errors.Is(m.Left[0].Why, sysfs.ErrMalformed) {
			t.Errorf("%q: left %+v", text, m.Left)
		}
		if s := m.Unread(); !strings.HasPrefix(s, "dram-0 cannot be read") {
			t.Errorf("%q: says %q", text, s)
		}
		if err := m.Whole(); !errors.Is(err, sysfs.ErrMalformed) {
			t.Errorf("%q: the sums are whole: %v", text, err)
		}
		for _, z := range m.Zones() {
			if z.Name() == "dram-0" {
				t.Errorf("%q: it is read", text)
			}
		}
	}
}

func TestNone(t *testing.T) {
	fs, _ := tree(t, "", nil)
	if m, err := open(fs, noPMU); !errors.Is(err, ErrNone) {
		t.Errorf("a machine without meters: %v, %v", m, err)
	}
	fs, dir := tree(t, "two-sockets", nil)
	for _, zone := range []string{"0", "0:0", "1", "2"} {
		path := filepath.Join(dir, "class/powercap/intel-rapl:"+zone, "energy_uj")
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	if m, err := open(fs, noPMU); !errors.Is(err, ErrNone) || !errors.Is(err, sysfs.ErrAbsent) {
		t.Errorf("zones without counters: %v, %v", m, err)
	}
	for _, zone := range []string{"0", "0:0", "1", "2"} {
		// A link that leads out of the tree is refused, whoever asks.
		path := filepath.Join(dir, "class/powercap/intel-rapl:"+zone, "energy_uj")
		if err := os.Symlink("/etc/hostname", path); err != nil {
			t.Fatal(err)
		}
	}
	if m, err := open(fs, noPMU); !errors.Is(err, ErrPermission) {
		t.Errorf("meters that may not be read: %v, %v", m, err)
	}
}

// TestPermission: the kernel lets root only read energy_uj. Root cannot be refused by a mode, so
// this runs as another user.
func TestPermission(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("the superuser may read everything")
	}
	fs, dir := tree(t, "intel-client", nil)
	files, err := filepath.Glob(filepath.Join(dir, "class/powercap/*/energy_uj"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if err := os.Chmod(f, 0); err != nil {
			t.Fatal(err)
		}
	}
	if m, err := open(fs, noPMU); !errors.Is(err, ErrPermission) {
		t.Errorf("got %v, %v", m, err)
	}
}

// TestDisappears: a zone whose driver is unloaded while it is read, and loaded again.
func TestDisappears(t *testing.T) {
	now := 0
	fs, dir := tree(t, "two-sockets", func(path string, f sysfs.File) sysfs.File {
		return &made{File: f, of: now, now: &now}
	})
	m := openTree(t, fs, noPMU)
	m.Read(0, nil)
	energy := filepath.Join(dir, m.sources[0].path, "energy_uj")
	put := func(text string) {
		if err := os.WriteFile(energy, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("1000000")
	at := units.Instant(0)
	read := func() Reading {
		at += 100 * ms
		return m.Read(at, nil)[0]
	}
	read()
	before := read()
	// The driver is unloaded.
	now++
	name := filepath.Join(dir, m.sources[0].path, "name")
	if err := os.Rename(name, name+"-gone"); err != nil {
		t.Fatal(err)
	}
	if got := read(); !errors.Is(got.Err, sysfs.ErrAbsent) || got.Energy != before.Energy {
		t.Errorf("without its driver: %+v", got)
	}
	// It is loaded again: a new zone has the old one's name.
	if err := os.Rename(name+"-gone", name); err != nil {
		t.Fatal(err)
	}
	put("1500000")
	if got := read(); got.Err != nil || got.Energy != before.Energy+500_000_000 {
		t.Errorf("after the driver came back: %+v, before %+v", got, before)
	}
}

// made is an attribute that goes when its driver is unloaded.
type made struct {
	sysfs.File
	of  int
	now *int // the drivers so far
}

func (m *made) Pread(p []byte, off int64) (int, error) {
	if m.of != *m.now {
		return 0, syscall.ENODEV
	}
	return m.File.Pread(p, off)
}

func TestInNanojoules(t *testing.T) {
	const perf = 2.3283064365386962890625e-10 // 2^-32 J
	for count, want := range map[uint64]units.Energy{0: 0, 1 << 32: 1e9, 1 << 33: 2e9,
		100 << 32: 100e9, 3<<32 + 1<<31: 35e8} {
		if got := inNanojoules(count, perf); got != want {
			t.Errorf("%d counts: %d, want %d", count, got, want)
		}
	}
}

func TestFiltered(t *testing.T) {
	path := filepath.Join(t.TempDir(), "msr")
	if _, err := Filtered(path); !errors.Is(err, ErrUnknown) {
		t.Errorf("no device: %v", err)
	}
	for value, want := range map[byte]bool{0: false, 1: true, 2: false, 3: true} {
		b := make([]byte, packageControls+8)
		b[packageControls] = value
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := Filtered(path); got != want || err != nil {
			t.Errorf("register %#x: %v, %v", value, got, err)
		}
	}
	if err := os.WriteFile(path, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Filtered(path); !errors.Is(err, ErrUnknown) {
		t.Errorf("a register that cannot be read: %v", err)
	}
}

func TestPeriod(t *testing.T) {
	for name, want := range map[string]time.Duration{"intel-client": time.Minute,
		"two-sockets": 32766 * time.Millisecond} {
		fs, _ := tree(t, name, nil)
		if got := openTree(t, fs, noPMU).Period().Truncate(time.Millisecond); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	fs, _ := tree(t, "power-pmu", nil)
	m := openTree(t, fs, func(uint32, *pmuEvent, sysfs.CPU) (meter, error) {
		return fixed(0),
			nil
	})
	m.sources[0].counter.span = 4_000_000_000
	if got := m.Period(); got != leastPeriod {
		t.Errorf("a counter of 4 J: %v", got)
	}
	m.sources[0].counter.span = 0
	if got := m.Period(); got != 0 {
		t.Errorf("meters that the kernel watches: %v", got)
	}
}
