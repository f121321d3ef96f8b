package cpufreq

import (
	"fmt"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/internal/linux/sysfs"
)

// Foreign is a control that another program changed while it was ours.
type Foreign struct {
	Domain  sysfs.Domain
	Control string // scaling_governor, ...
	Times   int    // number of times that a change was found
	Value   string // value last found
	// Yielded: the domain was given up. A limit or a governor that another program sets is theirs
	// at once, a speed after maxFights changes in short time.
	Yielded bool
}

func (f Foreign) String() string {
	s := fmt.Sprintf("policy%d: another program changed %s, found at %s", f.Domain, f.Control,
		f.Value)
	if f.Times > 1 {
		s += fmt.Sprintf(" (%d times)", f.Times)
	}
	if f.Yielded {
		return s + "; the domain was left to it"
	}
	return s + "; it was set again"
}

const (
	// maxFights is the number of changes in a row that are undone. A suspend or a driver that loses
	// a speed makes one.
	maxFights = 5
	// peace ends a row of changes. Daemons that set frequencies in a loop do so every 2 to 4 s
	// (auto-cpufreq, thermald).
	peace = 30 * time.Second
)

// fight counts the changes of a domain's speed by others.
type fight struct {
	rounds   int
	last     time.Time
	reported bool // it has been reported that the domain was given up
}

// fought notes that a domain's speed has changed since it read back, and reports whether the domain
// is given up. A speed that the kernel has bent, by a cap or within limits, is no change by another
// program.
func (s *session) fought(t *target) bool {
	if capped(s.sys, t.id, t.found, t.asked) || s.bent(t) {
		return false
	}
	now := time.Now()
	if now.Sub(t.fight.last) > peace {
		t.fight.rounds = 0
	}
	t.fight.rounds++
	t.fight.last = now
	value := fmt.Sprint(int64(t.found / kHz))
	if t.fight.rounds > maxFights {
		t.yielded = fmt.Errorf(
			"another program set the speed of policy%d %d times, the last time to %s kHz",
			t.id, t.fight.rounds, value,
		)
		s.drop(&t.lines[0])
	}
	s.noteForeign(t, speedFile, value)
	return t.yielded != nil
}

// bent reports whether the limits of a domain, which others may set, hold its speed where it is.
func (s *session) bent(t *target) bool {
	r := reader{fs: s.sys, dir: t.id.Dir()}
	lo, hi := r.frequency(minFile), r.frequency(maxFile)
	return r.err == nil && (t.asked > hi && t.found <= hi || t.asked < lo && t.found >= lo)
}

// noteForeign counts a change of a control by another program.
func (s *session) noteForeign(t *target, control, value string) {
	i := slices.IndexFunc(s.changed,
		func(f Foreign) bool { return f.Domain == t.id && f.Control == control })
	if i < 0 {
		i = len(s.changed)
		s.changed = append(s.changed, Foreign{Domain: t.id, Control: control})
	}
	f := &s.changed[i]
	f.Times++
	f.Value, f.Yielded = value, t.yielded != nil
}

// reportOnce reports whether this is the first report that the domain was given up.
func (t *target) reportOnce() bool {
	first := !t.fight.reported
	t.fight.reported = true
	return first
}

// Foreign implements Actuator.
func (s *session) Foreign() []Foreign { return slices.Clone(s.changed) }

// checkParts is the number of calls of Check that cover all domains.
const checkParts = 8

// Check implements Actuator.
func (s *session) Check() (outcomes []Outcome, news bool) {
	if s.withdrawn() {
		news = !s.reported
		return s.withdraw(s.states[len(s.states)-1]), news
	}
	n := len(s.targets)
	for i := range s.targets {
		s.targets[i].planned = false
	}
	part := (n + checkParts - 1) / checkParts
	for k := range part {
		i := (s.checked + k) % n
		if t := &s.targets[i]; t.yielded == nil && t.asked != 0 {
			s.plan(i, t.asked, true)
		}
	}
	s.carryOut()
	if s.withdrawn() {
		return s.withdraw(s.states[len(s.states)-1]), true
	}
	for k := range part {
		switch s.outcomes[(s.checked+k)%n].Kind {
		case Unchanged, HeldBack: // as reported before
		case Yielded:
			news = news || s.targets[(s.checked+k)%n].reportOnce()
		default:
			news = true
		}
	}
	if n > 0 {
		s.checked = (s.checked + part) % n
	}
	return s.outcomes, news
}
