package calls

import "github.com/ebb-energy/ebb/internal/calls/layout"

// Kinds of events (perf_event_open(2)).
const (
	hardware = 0
	software = 1
)

// events are the counters that can be read at an invocation's begin and end
// (include/uapi/linux/perf_event.h, enum perf_hw_id and perf_sw_ids).
var events = []struct {
	name  string
	event layout.Event
}{
	{"cycles", layout.Event{Type: hardware, Config: 0}},
	{"instructions", layout.Event{Type: hardware, Config: 1}},
	{"cache-misses", layout.Event{Type: hardware, Config: 3}},
	{"branch-misses", layout.Event{Type: hardware, Config: 5}},
	{"page-faults", layout.Event{Type: software, Config: 2}},
}

// eventNames returns the names of all counters.
func eventNames() (names []string) {
	for _, e := range events {
		names = append(names, e.name)
	}
	return names
}

// Event finds a counter by its name.
func Event(name string) (layout.Event, bool) {
	for _, e := range events {
		if e.name == name {
			return e.event, true
		}
	}
	return layout.Event{}, false
}
