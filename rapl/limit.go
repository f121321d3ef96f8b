package rapl

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/units"
)

const (
	// constraints bounds the number of constraints of a zone, which has at most four.
	constraints = 8
	// aboveLong is the factor by which a zone can exceed its only limit, that of the long term, for
	// a second.
	aboveLong = 2
	// aboveAll is the factor by which a zone can exceed the highest of several limits, as a meter
	// shows it.
	aboveAll = 1.25
)

// ownLimit returns the most that a powercap zone can draw over a second by its own constraints: the
// highest limit that is set or can be set. It is 0 where the zone has no limit, or one that is not
// in force.
func ownLimit(fs *sysfs.FS, z *Zone) units.Power {
	if on, err := fs.ReadInt(z.path + "/enabled"); err == nil && on == 0 {
		return 0
	}
	var most units.Power
	limited := 0
	for i := range constraints {
		limit := units.Power(0)
		for _, of := range []string{"_max_power_uw", "_power_limit_uw"} {
			v, err := fs.ReadInt(z.path + "/constraint_" + strconv.Itoa(i) + of)
			if err == nil && v > 0 {
				limit = max(limit, units.Power(v)/1e6)
			}
		}
		if limit > 0 {
			limited++
			most = max(most, limit)
		}
	}
	if limited == 1 {
		return aboveLong * most
	}
	return aboveAll * most
}

// Counted returns the names of the zones from which the machine's power can be taken. Without a
// package's meter there are none, and why says so.
func (m *Meters) Counted() (names []string, why string) {
	counts := false
	for _, s := range m.sources {
		names = append(names, s.Name())
		counts = counts || s.Kind == Package
	}
	if counts {
		return names, ""
	}
	why = "no package has a meter that can be read"
	for i, n := range names {
		if i == 0 {
			why += "; there is"
		} else {
			why += ","
		}
		why += " " + n
	}
	if len(names) > 0 {
		why += " alone"
	}
	for _, l := range m.Left {
		why += "; not read: " + l.Zone.Name() + ", " + l.Why.Error()
	}
	return nil, why
}

// Unread returns a clause on the zones with a meter of their own that cannot be read: no sum
// contains what these zones use. It is "" where all are read.
func (m *Meters) Unread() string {
	var parts []string
	for _, l := range m.Left {
		if !errors.Is(l.Why, errMirror) {
			parts = append(parts, fmt.Sprintf("%s cannot be read, what it used is missing: %v",
				l.Zone.Name(), l.Why))
		}
	}
	return strings.Join(parts, "; ")
}

// Whole returns an error if the sum of the packages and their memory (Sums) would lack one of them
// because its meter cannot be read.
func (m *Meters) Whole() error {
	for _, l := range m.Left {
		if (l.Zone.Kind == Package || l.Zone.Kind == Memory) && !errors.Is(l.Why, errMirror) {
			return fmt.Errorf("%s cannot be read: %w", l.Zone.Name(), l.Why)
		}
	}
	return nil
}

// TooFast returns a clause on each zone whose counter can wrap unseen between two readings a Period
// apart, by the most power that the zone can draw (Bound).
func (m *Meters) TooFast() (says []string) {
	for _, s := range m.sources {
		if sure := lapPower(s.counter.span, m.Period()); s.counter.misses(sure) {
			says = append(says, fmt.Sprintf("%s wraps after %v, so it is right only up to %v",
				s.Name(), s.counter.span, sure))
		}
	}
	return says
}

// Doubts reads the meters until all packages have moved, for 50 to 200 ms, and returns the reasons
// why some are not believed. Before it go Open and Bound alone.
func (m *Meters) Doubts() (why []string) {
	var begun units.Instant // time of the first reading
	for read := []Reading(nil); ; time.Sleep(2 * time.Millisecond) {
		at, _ := m.now()
		if begun == 0 {
			begun = at
		}
		read, why = m.Read(at, read[:0]), nil
		still := false
		for i, s := range m.sources {
			still = still || s.Kind == Package && s.counter.moved == s.counter.first
			if read[i].Doubt != "" {
				why = append(why, read[i].Doubt)
			}
		}
		if over := at.Sub(begun); over >= neverAfter ||
			!still && over >= leastSure {
			return why
		}
	}
}
