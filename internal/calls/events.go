package calls

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/instrumented"
)

// Kinds of events (perf_event_open(2)).
const (
	hardware = 0
	software = 1
)

// events are the counters that can be read at an invocation's begin and end
// (include/uapi/linux/perf_event.h, enum perf_hw_id and perf_sw_ids).
var events = []struct {
	name  string
	event instrumented.Event
}{
	{"cycles", instrumented.Event{Type: hardware, Config: 0}},
	{"instructions", instrumented.Event{Type: hardware, Config: 1}},
	{"cache-misses", instrumented.Event{Type: hardware, Config: 3}},
	{"branch-misses", instrumented.Event{Type: hardware, Config: 5}},
	{"page-faults", instrumented.Event{Type: software, Config: 2}},
}

// eventNames returns the names of all counters.
func eventNames() (names []string) {
	for _, e := range events {
		names = append(names, e.name)
	}
	return names
}

// Event finds a counter by its name.
func Event(name string) (instrumented.Event, bool) {
	for _, e := range events {
		if e.name == name {
			return e.event, true
		}
	}
	return instrumented.Event{}, false
}

// automatic is the name by which a user leaves the choice of counters to Choose.
const automatic = "auto"

// complementary are the hardware counters in the order of what they add to what ebb knows of an
// invocation without any: its CPU time, its context switches and its clock. SAFARI chooses its
// model's inputs so (section III.B): where two counters can be read at a time, they should not say
// the same. Instructions correct energies within a window; cache misses show the memory's part;
// cycles are nearly CPU time at the clock, and come behind.
var complementary = []string{"instructions", "cache-misses", "cycles", "branch-misses"}

// Choose fills in the counters if they are left to ebb: the first of those that complement each
// other best which this machine counts at the same time. It returns false if it should choose and
// the machine counts none.
func (o *LibraryOptions) Choose() bool {
	runtime.LockOSThread() // a group has the counters of one thread
	defer runtime.UnlockOSThread()
	return o.choose(openSelf)
}

func (o *LibraryOptions) choose(open func(e instrumented.Event, leader int) (int, error)) bool {
	if !o.Automatic {
		return true
	}
	o.Counters, o.Settings.Events = nil, nil
	var opened []int
	leader := -1 // the kernel says of a group whether it can be counted at once
	for _, name := range complementary {
		e, _ := Event(name)
		fd, err := open(e, leader)
		if err != nil {
			continue
		}
		opened = append(opened, fd)
		leader = opened[0]
		o.Counters, o.Settings.Events = append(o.Counters, name), append(o.Settings.Events, e)
		if len(opened) == instrumented.Counters {
			break
		}
	}
	for _, fd := range opened {
		_ = unix.Close(fd) // it was opened only to see whether it can be
	}
	return len(o.Counters) > 0
}

// openSelf opens a counter of the calling thread as the library does, in the group of another one
// (-1: of its own).
func openSelf(e instrumented.Event, leader int) (int, error) {
	attr := unix.PerfEventAttr{Type: e.Type, Config: e.Config,
		Bits: unix.PerfBitDisabled | unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv,
		Size: uint32(unsafe.Sizeof(unix.PerfEventAttr{}))}
	return unix.PerfEventOpen(&attr, 0, -1, leader, unix.PERF_FLAG_FD_CLOEXEC)
}
