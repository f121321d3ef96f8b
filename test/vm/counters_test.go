package vm

import (
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// TestFewCounters: with few free counters ebb counts the most useful events, says so, and still
// sees that the load waits for memory.
func TestFewCounters(t *testing.T) {
	for _, free := range []string{"5", "4", "3"} {
		t.Run(free, func(t *testing.T) {
			fault(t, "counters", free)
			_, rep, r := governed(t, memoryBound.of(medium), "--slowdown", "5%")
			t.Logf("counters %v, estimator %s", rep.Counters, rep.Estimator)
			if strconv.Itoa(len(rep.Counters)) != free || rep.Estimator == "none" {
				t.Errorf("counters %v, estimator %s", rep.Counters, rep.Estimator)
			}
			if !strings.Contains(r.err, "counted are") {
				t.Errorf("it does not say that it counts less: %s", r.err)
			}
		})
	}
}

// TestRefusedCounters: if events cannot be opened, ebb counts a set without them, or none, and the
// report says which and why. The program keeps its budget either way.
func TestRefusedCounters(t *testing.T) {
	top := highest(t, memoryBound.of(medium))
	for _, c := range []struct {
		name, parameter string
		errno           unix.Errno
		counters        int
		says            string
	}{
		{"no raw events", "raw_error", unix.EINVAL, 2, "counted are cycles, instructions only"},
		{"raw events are another's", "raw_error", unix.EBUSY, 2,
			"counted are cycles, instructions only"},
		{"the PMU is another's", "event_error", unix.EBUSY, 0, "no counters: "},
		{"the PMU is broken", "event_error", unix.EIO, 0, "no counters: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			fault(t, c.parameter, strconv.Itoa(int(c.errno)))
			u, rep, r := governed(t, memoryBound.of(medium), "--slowdown", "5%")
			slow := u.time.Seconds()/top.time.Seconds() - 1
			t.Logf("slowdown %.2f %%; counters %v, estimator %s; %v", 100*slow, rep.Counters,
				rep.Estimator, rep.Warnings)
			if len(rep.Counters) != c.counters ||
				!strings.Contains(strings.Join(rep.Warnings, "\n"), c.says) {
				t.Errorf("counters %v; %s", rep.Counters, r.err)
			}
			if slow > 0.055 {
				t.Errorf("the slowdown is %.2f %%", 100*slow)
			}
		})
	}
}

// Another program takes the counters in the middle of a run: slices come without counts, which is
// counted and said, and the program is not slowed beyond its budget.
func TestCountersTaken(t *testing.T) {
	top := highest(t, memoryBound)
	fault(t, "counters", read(t, parameters+"counters"))
	during(t, func() {
		// The kernel gives the counters out anew when one more event is opened, to a smaller number
		// of events.
		write(t, parameters+"counters", "1")
		attr := unix.PerfEventAttr{Type: unix.PERF_TYPE_HARDWARE,
			Size:   uint32(unsafe.Sizeof(unix.PerfEventAttr{})),
			Config: unix.PERF_COUNT_HW_INSTRUCTIONS, Bits: unix.PerfBitPinned}
		fd, err := unix.PerfEventOpen(&attr, -1, 0, -1, unix.PERF_FLAG_FD_CLOEXEC)
		if err != nil {
			t.Error(err)
			return
		}
		t.Cleanup(func() { unix.Close(fd) })
	})
	u, rep, r := governed(t, memoryBound, "--slowdown", "5%")
	slow := u.time.Seconds()/top.time.Seconds() - 1
	t.Logf("slowdown %.2f %%; %v; %d of %d quanta are holes; %v", 100*slow, rep.Drops,
		rep.HoleQuanta, len(rep.Quanta), rep.Warnings)
	if rep.Drops["counter_stopped"]+rep.Drops["counter_read"] == 0 ||
		!strings.Contains(r.err, "counters were unreadable") {
		t.Errorf("it does not say so: %s", r.err)
	}
	if slow > 0.055 {
		t.Errorf("the slowdown is %.2f %%", 100*slow)
	}
}
