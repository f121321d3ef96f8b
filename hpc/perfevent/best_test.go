package perfevent

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/hpc"
)

// pmus is a model of the kernel: PMUs with a number of general counters each, to which pinned
// events go in the order they were opened.
type pmus struct {
	types map[hpc.PMU]uint32
	of    map[int]hpc.PMU // PMU by CPU, on a hybrid processor
	// counters are of general purpose, on each CPU; cycles and instructions have their own
	counters int
	refuse   error        // error of every open
	unknown  []uint64     // configs that are no events
	live     map[int]bool // fd: has a counter
	used     map[int]int  // number of used counters by CPU
	opened   []unix.PerfEventAttr
}

func newPMUs(counters int) *pmus {
	return &pmus{types: map[hpc.PMU]uint32{"cpu": 4}, counters: counters, live: map[int]bool{},
		used: map[int]int{}}
}

func (p *pmus) pmuType(n hpc.PMU) (uint32, error) {
	if t, ok := p.types[n]; ok {
		return t, nil
	}
	return 0, ErrNotSupported
}

func (p *pmus) covers(n hpc.PMU, cpu int) (bool, error) { return p.of[cpu] == n, nil }

func (p *pmus) open(attr *unix.PerfEventAttr, cpu int) (int, error) {
	if p.refuse != nil {
		return -1, p.refuse
	}
	if attr.Type != unix.PERF_TYPE_HARDWARE && slices.Contains(p.unknown, attr.Config) {
		return -1, unix.EINVAL
	}
	p.opened = append(p.opened, *attr)
	fd := 100 + len(p.opened)
	if attr.Type == unix.PERF_TYPE_HARDWARE {
		p.live[fd] = true
		return fd, nil
	}
	p.live[fd] = p.used[cpu] < p.counters
	p.used[cpu]++
	return fd, nil
}

func (p *pmus) counts(fd int) (bool, error) { return p.live[fd], nil }

func (p *pmus) close(fd int) error {
	if _, ok := p.live[fd]; !ok {
		return unix.EBADF
	}
	delete(p.live, fd)
	p.used = map[int]int{} // sets are closed as a whole
	return nil
}

var skylake = hpc.Identify(hpc.CPU{Family: 6, Model: 0x55, Stepping: 4})

// TestASetThatDoesNotFitIsReplaced: with fewer counters than the best set needs, a smaller one is
// opened, and no event of the others stays open.
func TestASetThatDoesNotFitIsReplaced(t *testing.T) {
	for counters, want := range map[int]int{8: 6, 4: 6, 3: 5, 2: 4, 1: 3, 0: 2} {
		p := newPMUs(counters)
		s, set, passed, err := best(hpc.Sets(skylake), []int{0, 1}, p)
		if err != nil || len(set.Counters) != want {
			t.Errorf("%d counters: %v, %v; want %d", counters, set.Counters, err, want)
			continue
		}
		if len(p.live) != 2*want {
			t.Errorf("%d counters: %d events open, want %d", counters, len(p.live), 2*want)
		}
		for _, err := range passed {
			if !errors.Is(err, ErrNoCounter) {
				t.Errorf("%d counters: %v", counters, err)
			}
		}
		if (len(passed) == 0) != (want == 6) {
			t.Errorf("%d counters: passed %v", counters, passed)
		}
		if err := s.Close(); err != nil || len(p.live) != 0 {
			t.Errorf("close: %v, %d open", err, len(p.live))
		}
	}
}

// TestAMissingEventCostsOnlyItsSets: an event that the processor lacks costs only the sets that
// need it.
func TestAMissingEventCostsOnlyItsSets(t *testing.T) {
	p := newPMUs(8)
	p.unknown = []uint64{skylake[0].Events[hpc.OccHi].Config}
	_, set, _, err := best(hpc.Sets(skylake), []int{0}, p)
	if want := []string{hpc.Cycles, hpc.Instructions, hpc.StallLo, hpc.StoreFull,
		hpc.StoreRFO}; err != nil || !slices.Equal(set.Counters, want) {
		t.Errorf("%v, %v; want %v", set.Counters, err, want)
	}
}

// TestWithoutPermissionNoSmallerSetIsTried: without permission no smaller set is tried.
func TestWithoutPermissionNoSmallerSetIsTried(t *testing.T) {
	p := newPMUs(8)
	p.refuse = unix.EACCES
	if _, _, passed, err := best(hpc.Sets(skylake), []int{0}, p); !errors.Is(err, ErrPermission) ||
		len(passed) != 1 {
		t.Errorf("%v, passed %v", err, passed)
	}
	p.refuse = unix.ENOENT
	if _, _, passed, err := best(hpc.Sets(skylake), []int{0}, p); !errors.Is(err,
		ErrNotSupported) || len(passed) != len(hpc.Sets(skylake)) {
		t.Errorf("%v, passed %v", err, passed)
	}
}

// TestHybrid: each CPU counts the events of its own PMU, and generic ones carry its number.
func TestHybrid(t *testing.T) {
	p := newPMUs(8)
	p.types = map[hpc.PMU]uint32{"cpu_core": 4, "cpu_atom": 10}
	p.of = map[int]hpc.PMU{0: "cpu_core", 1: "cpu_atom"}
	alder := hpc.Identify(hpc.CPU{Family: 6, Model: 0x97})
	_, set, _, err := best(hpc.Sets(alder), []int{0, 1}, p)
	if err != nil || len(set.Counters) != 4 {
		t.Fatalf("%v, %v", set.Counters, err)
	}
	type event struct {
		kind   uint32
		config uint64
	}
	var got []event
	for _, a := range p.opened {
		if a.Bits&unix.PerfBitPinned == 0 {
			t.Errorf("not pinned: %+v", a)
		}
		got = append(got, event{a.Type, a.Config})
	}
	want := []event{{0, 4 << 32}, {0, 4<<32 | 1}, {4, 0x5000547}, {4, 0x20040a6}, {0, 10 << 32},
		{0, 10<<32 | 1}, {10, 0x634}, {10, 0x104}}
	if !slices.Equal(got, want) {
		t.Errorf("opened %x, want %x", got, want)
	}
}

// TestAKindOfCoreThatTheTableLacks: the clock and the instructions are counted on all cores, where
// the kernel finds the PMU of one, and what the others could count beyond is said to be missing.
func TestAKindOfCoreThatTheTableLacks(t *testing.T) {
	p := newPMUs(8)
	p.types = map[hpc.PMU]uint32{"cpu_core": 4, "cpu_atom": 10}
	p.of = map[int]hpc.PMU{0: "cpu_core", 1: "cpu_atom", 2: "cpu_tiny"}
	alder := hpc.Identify(hpc.CPU{Family: 6, Model: 0x97})
	_, set, passed, err := best(hpc.Sets(alder), []int{0, 1, 2}, p)
	if err != nil || !slices.Equal(set.Counters, []string{hpc.Cycles, hpc.Instructions}) {
		t.Fatalf("%v, %v", set.Counters, err)
	}
	if len(passed) == 0 || !strings.Contains(passed[0].Error(), "CPU 2") {
		t.Errorf("passed %v", passed)
	}
	n := len(p.opened)
	for i, want := range []uint64{4 << 32, 4<<32 | 1, 10 << 32, 10<<32 | 1, 0, 1} {
		if a := p.opened[n-6+i]; a.Type != unix.PERF_TYPE_HARDWARE || a.Config != want {
			t.Errorf("event %d: %d %x, want %x", i, a.Type, a.Config, want)
		}
	}
	if len(p.live) != 6 {
		t.Errorf("%d open", len(p.live))
	}
}
