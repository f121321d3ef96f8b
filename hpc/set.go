package hpc

import (
	"fmt"
	"slices"
	"strings"
)

// Set is a set of counters that are counted together.
type Set struct {
	Counters []string // columns of a slice, in order
	// By holds the events of each of the processor's PMUs, in the order of Counters. It has one
	// entry, except on hybrid processors.
	By []PMUEvents
}

// PMUEvents are the events that are counted on the CPUs of a PMU.
type PMUEvents struct {
	PMU    PMU // "" for all CPUs
	Events []Event
}

// wanted lists the sets worth counting, the best first. More counters than these would be counted
// in turns on most processors: with two threads a core they have four of general purpose, and three
// for cycles and instructions. A slice carries as many (epochs.MaxCounters). The wait for
// instructions is counted where it takes no other's place.
var wanted = [][]string{
	{Cycles, Instructions, StallLo, OccHi, StoreFull, StoreRFO},
	{Cycles, Instructions, StallLo, OccHi, StoreFull, Empty},
	{Cycles, Instructions, StallLo, OccHi, StoreFull},
	{Cycles, Instructions, StallLo, OccHi},
	{Cycles, Instructions, StallLo, StoreFull, StoreRFO},
	{Cycles, Instructions, StallLo, StoreFull, FetchWait},
	{Cycles, Instructions, StallLo, StoreFull, Empty},
	{Cycles, Instructions, StallLo, StoreFull},
	{Cycles, Instructions, StallLo},
	{Cycles, Instructions},
}

// Sets returns the sets that a processor of these families has, the best first. On a hybrid one
// every kind of core must have all of a set. Without a family there is one set: the clock and the
// instructions.
func Sets(families []Family) []Set {
	var out []Set
	for _, counters := range wanted {
		if s, ok := newSet(counters, families); ok {
			out = append(out, s)
		}
	}
	return out
}

func newSet(counters []string, families []Family) (Set, bool) {
	s := Set{Counters: counters}
	if len(families) == 0 {
		events, err := ByName(counters)
		s.By = []PMUEvents{{Events: events}}
		return s, err == nil
	}
	for i := range families {
		f := &families[i]
		p := PMUEvents{PMU: f.PMU}
		for _, c := range counters {
			e, ok := f.event(c)
			if !ok {
				return s, false
			}
			if e.PMU == Hardware && len(families) > 1 {
				e.Of = f.PMU
			}
			p.Events = append(p.Events, e)
		}
		s.By = append(s.By, p)
	}
	return s, true
}

// event finds a counter among the family's and the generic ones.
func (f *Family) event(counter string) (Event, bool) {
	if e, ok := f.Events[counter]; ok {
		return e, true
	}
	i := slices.IndexFunc(events, func(e Event) bool { return e.Name == counter })
	if i < 0 {
		return Event{}, false
	}
	return events[i], true
}

// Named returns the set of the named counters: generic events, and those of the families. An
// unknown or repeated name, or one that a kind of core does not have, is an error.
func Named(names []string, families []Family) (Set, error) {
	if len(families) == 0 {
		events, err := ByName(names)
		return Set{Counters: names, By: []PMUEvents{{Events: events}}}, err
	}
	if err := checkNames(names, families); err != nil {
		return Set{}, err
	}
	s, _ := newSet(names, families)
	return s, nil
}

func checkNames(names []string, families []Family) error {
	known := Names()
	for _, c := range counters() {
		if !slices.ContainsFunc(families,
			func(f Family) bool { _, ok := f.Events[c]; return !ok }) {
			known = append(known, c)
		}
	}
	for i, n := range names {
		if !slices.Contains(known, n) {
			return fmt.Errorf("no counter %q; there are %s", n, strings.Join(known, ", "))
		}
		if slices.Contains(names[:i], n) {
			return fmt.Errorf("counter %q is named twice", n)
		}
	}
	return nil
}
