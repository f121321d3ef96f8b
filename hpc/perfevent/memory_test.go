package perfevent

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
)

// tree opens a tree of testdata with more lines after it; "" is an empty one.
func tree(t *testing.T, name, more string) *sysfs.FS {
	t.Helper()
	text := ""
	if name != "" {
		b, err := os.ReadFile(filepath.Join("testdata", "trees", name+".tree"))
		if err != nil {
			t.Fatal(err)
		}
		text = string(b)
	}
	fs, err := sysfs.Open(devtest.Tree(t, text+more))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = fs.Close() })
	return fs
}

// fake is a kernel whose events count 1000 for each group opened before, and their number.
type fake struct {
	opened []string
	closed int
	refuse map[uint32]error // error by PMU
	shared bool
}

type fakeGroup struct {
	*fake
	number int
	events int
}

func (f *fake) open(kind uint32, events []event, cpu sysfs.CPU) (memoryGroup, error) {
	if err := f.refuse[kind]; err != nil {
		return nil, err
	}
	var configs []string
	for _, e := range events {
		configs = append(configs, fmt.Sprintf("%#x", e.config[0]))
	}
	f.opened = append(f.opened, fmt.Sprintf("%d@%d: %s", kind, cpu, strings.Join(configs, " ")))
	return &fakeGroup{f, len(f.opened), len(events)}, nil
}

func (g *fakeGroup) read(counts []uint64) error {
	if g.shared {
		return ErrMemoryShared
	}
	for i := range counts {
		counts[i] = uint64(1000*g.number + i)
	}
	return nil
}

func (g *fakeGroup) close() error { g.closed++; return nil }

// TestOpen opens the counters of each kind of machine, and checks the opened events, their CPUs and
// the sums.
func TestOpen(t *testing.T) {
	for _, c := range []struct {
		tree, name, first string
		groups            int
		want              MemoryLines
	}{
		{"server-cas", "uncore_imc, 12 channels", "30@0: 0x304 0xc04", 12,
			MemoryLines{78000, 78012}},
		{"server-subchannels", "uncore_imc, 2 channels", "30@0: 0xcf05 0xcf06 0xf005 0xf006", 2,
			MemoryLines{6002, 6010}},
		{"server-both", "uncore_imc, 8 channels", "30@0: 0xf04 0x3004", 8,
			MemoryLines{36000, 36008}},
		{"client", "uncore_imc, 1 controller", "11@0: 0x1 0x2", 1, MemoryLines{1000, 1001}},
		{"client-free-running", "uncore_imc_free_running, 2 controllers", "20@0: 0x20ff 0x30ff", 2,
			MemoryLines{3000, 3002}},
		{"amd-umc", "amd_umc, 4 channels", "30@0: 0x10a 0x20a", 4, MemoryLines{10000, 10004}},
	} {
		t.Run(c.tree, func(t *testing.T) {
			var f fake
			m, err := openMemory(tree(t, c.tree, ""), f.open)
			if err != nil {
				t.Fatal(err)
			}
			if m.String() != c.name || m.Groups() != c.groups || f.opened[0] != c.first {
				t.Errorf("%s, %d groups, the first %s", m, m.Groups(), f.opened[0])
			}
			if got, err := m.Read(); err != nil || got != c.want {
				t.Errorf("%+v, %v, want %+v", got, err, c.want)
			}
			if err := errors.Join(m.Close(), m.Close()); err != nil || f.closed != c.groups {
				t.Errorf("%d of %d groups were closed: %v", f.closed, c.groups, err)
			}
		})
	}
}

func TestOpenOnBothSockets(t *testing.T) {
	var f fake
	if _, err := openMemory(tree(t, "amd-umc", ""), f.open); err != nil {
		t.Fatal(err)
	}
	want := []string{"30@0: 0x10a 0x20a", "31@0: 0x10a 0x20a", "32@64: 0x10a 0x20a",
		"33@64: 0x10a 0x20a"}
	if !slices.Equal(f.opened, want) {
		t.Errorf("%q, want %q", f.opened, want)
	}
}

// TestOpenRefuses checks that an event that cannot be counted is reported, and that no event stays
// open.
func TestOpenRefuses(t *testing.T) {
	const dir = memoryDevices + "/uncore_imc_0/"
	half := "file 0444 " + memoryDevices + "/uncore_imc_9/type\n\t99\n"
	for name, c := range map[string]struct {
		tree, more string
		fake       fake
		is         error
		says       string
	}{
		"an empty machine": {"", "", fake{}, ErrNoMemory, "no uncore PMU"},
		"no such PMU": {"", "dir " + memoryDevices + "/cpu\n", fake{}, ErrNoMemory,
			"no uncore PMU"},
		"the fabric only": {"amd-df", "", fake{}, ErrNoMemory, "amd_df"},
		"no events": {"", "file 0444 " + dir + "type\n\t3\nfile 0444 " + dir +
			"cpumask\n\t0\n", fake{}, ErrNoMemory, "publishes no"},
		"no permission": {"server-cas", "", fake{refuse: map[uint32]error{33: ErrMemoryPermission}},
			ErrMemoryPermission, "uncore_imc_3 on CPU 0"},
		"counters are taken": {"client", "", fake{shared: true}, ErrMemoryShared, "uncore_imc"},
		"half of them":       {"server-cas", half, fake{}, errEncoding, "6 of 7"},
		"a malformed event":  {"", eventTree("event=zz", "0"), fake{}, errEncoding, "zz"},
		"an unknown field":   {"", eventTree("event=1,odd=2", "0"), fake{}, errEncoding, "odd"},
		"a field elsewhere": {"", eventTree("event=1,../type=2", "0"), fake{}, errEncoding,
			"../type"},
		"a malformed cpumask": {"", eventTree("event=1", "x"), fake{}, nil, "CPU"},
		"an empty cpumask":    {"", eventTree("event=1", ""), fake{}, sysfs.ErrMalformed, "type 3"},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := openMemory(tree(t, c.tree, c.more), c.fake.open)
			if err == nil || m != nil || c.is != nil && !errors.Is(err, c.is) ||
				!strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, %v, want %v and %q", m, err, c.is, c.says)
			}
			if len(c.fake.opened) != c.fake.closed {
				t.Errorf("%d groups were opened and %d closed", len(c.fake.opened), c.fake.closed)
			}
		})
	}
}

// eventTree returns a controller whose reads have this event.
func eventTree(event, cpumask string) (text string) {
	for file, content := range map[string]string{
		"type": "3", "cpumask": cpumask, "format/event": "config:0-7", "events/data_reads": event,
		"events/data_writes": "event=2",
	} {
		text += "file 0444 " + memoryDevices + "/uncore_imc/" + file + "\n\t" + content + "\n"
	}
	return text
}

// TestOpenTakesTheNextClass checks that the free-running counters serve where the others are taken.
func TestOpenTakesTheNextClass(t *testing.T) {
	f := fake{refuse: map[uint32]error{35: ErrMemoryShared}}
	m, err := openMemory(tree(t, "server-both", ""), f.open)
	if err != nil {
		t.Fatal(err)
	}
	if m.String() != "uncore_imc_free_running, 4 controllers" || f.closed != 5 {
		t.Errorf("%s, %d closed before", m, f.closed)
	}
}

func TestDecode(t *testing.T) {
	words := func(w ...uint64) (b []byte) {
		for _, v := range w {
			b = binary.NativeEndian.AppendUint64(b, v)
		}
		return b
	}
	counts := make([]uint64, 2)
	if err := decode(words(2, 5_000_000, 4_999_999, 7, 9), counts); err != nil || counts[0] != 7 ||
		counts[1] != 9 {
		t.Errorf("%v, %v", counts, err)
	}
	for name, c := range map[string]struct {
		b  []byte
		is error
	}{
		"in error":       {nil, ErrMemoryShared},
		"never counted":  {words(2, 100, 0, 0, 0), ErrMemoryShared},
		"not all along":  {words(2, 1000, 900, 5, 6), ErrMemoryShared},
		"too few":        {words(1, 100, 100, 5), nil},
		"others' number": {words(3, 100, 100, 5, 6), nil},
		"cut":            {words(2, 100, 100, 5, 6)[:39], nil},
	} {
		if err := decode(c.b, counts); err == nil || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestKernelGroup lets software events stand in for a controller's: the kernel opens, groups and
// reads them alike.
func TestKernelGroup(t *testing.T) {
	clock := event{config: config{unix.PERF_COUNT_SW_CPU_CLOCK}, lines: 1}
	g, err := openKernel(unix.PERF_TYPE_SOFTWARE, []event{clock, clock}, 0)
	if errors.Is(err, ErrMemoryPermission) || errors.Is(err, ErrNoMemory) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	var before, after [2]uint64
	if err := errors.Join(g.read(before[:]), g.read(after[:])); err != nil {
		t.Error(err)
	}
	for i := range after {
		if after[i] <= before[i] {
			t.Errorf("the clock stands at %d, then %d", before[i], after[i])
		}
	}
	if err := g.close(); err != nil {
		t.Error(err)
	}
	if _, err := openKernel(1<<31, []event{clock}, 0); !errors.Is(err, ErrNoMemory) {
		t.Errorf("a PMU that is not there: %v", err)
	}
}

// FuzzDescription: whatever the files say, an event that is taken counts something.
func FuzzDescription(f *testing.F) {
	f.Add("event=0x04,umask=0x03", "6.103515625e-5", "MiB", "config:0-7", "0,28", "30")
	f.Add("event=?", "-1", "", "config:", "0-", "-1")
	f.Fuzz(func(t *testing.T, terms, scale, unit, format, cpumask, kind string) {
		dir := t.TempDir()
		pmu := filepath.Join(dir, memoryDevices, "uncore_imc")
		for file, text := range map[string]string{
			"type": kind, "cpumask": cpumask, "format/event": format, "format/umask": "config:8-15",
			"events/data_reads": terms, "events/data_reads.scale": scale,
			"events/data_reads.unit": unit, "events/data_writes": "event=0x02",
		} {
			path := filepath.Join(pmu, file)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
				os.WriteFile(path, []byte(text), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		fs, err := sysfs.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer fs.Close()
		ctl, err := memoryClasses[1].pairs[0].read(fs, "uncore_imc")
		if err == nil && (len(ctl.cpus) == 0 || len(ctl.events) != 2 ||
			!(ctl.events[0].lines > 0)) {
			t.Errorf("%+v", ctl)
		}
	})
}
