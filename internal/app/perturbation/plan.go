package perturbation

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/internal/render/printable"
)

// Rounds of a period in a search that goes on until there is a verdict.
const (
	// pilot is the number after which the scatter of a round's difference is roughly known.
	pilot = 3
	// fewest is the least number for a verdict on the time. Before it, tolerance.Shift has no
	// bounds.
	fewest = 9
	// soon is the number that suffices where nothing scatters.
	soon = 14
	// most bounds the planned rounds.
	most = 10000
	// giveUp is the multiple of the planned rounds that a period gets while others wait.
	giveUp = 2
	// hopeless is the multiple of the remaining time that a plan may take. The scatter of a few
	// rounds is up to twice too great, and the number of rounds goes by its square; and noise in
	// bursts takes fewer rounds than planned.
	hopeless = 20
	// compared bounds the rounds whose differences from each other show the scatter.
	compared = 50
)

// ErrTime says that the time does not suffice for any verdict.
var ErrTime = errors.New("no time for a verdict")

// outlook estimates the rounds to a verdict, from the scatter of a round's difference.
type outlook struct {
	before []float64 // differences between each two rounds of one earlier period
	now    []float64 // differences between each two rounds of the period being tried
}

// learn begins with a period's first differences. replace takes all differences that there are by
// now.
func (o *outlook) learn(logs []float64) {
	o.before = append(o.before, o.now...)
	o.replace(logs)
}

func (o *outlook) replace(logs []float64) {
	o.now = nil
	logs = logs[max(len(logs)-compared, 0):]
	for i, x := range logs {
		for _, y := range logs[:i] {
			o.now = append(o.now, math.Abs(x-y))
		}
	}
}

// shamos makes a standard deviation of the median distance of two values (Shamos 1976), which
// single far ones hardly change.
const shamos = 1.0483

// scatter returns the standard deviation of a round's difference, as a logarithm.
func (o *outlook) scatter() float64 {
	all := slices.Sorted(slices.Values(slices.Concat(o.before, o.now)))
	if len(all) == 0 {
		return 0
	}
	return shamos * all[len(all)/2]
}

// calm returns the rounds after which a period that does not change the time is known to be calm,
// in nine of ten cases.
func (o *outlook) calm() int { return rounds(o.scatter(), math.Log1p(MaxTime)) }

// disturbed returns the rounds after which a program that sampling slows by MaxTime is known to be
// disturbed.
func (o *outlook) disturbed() int {
	return rounds(o.scatter(), math.Log1p(MaxTime)-math.Log1p(sureTime))
}

// rounds returns the number of rounds until the interval around a shift at a distance from a
// threshold no longer contains the threshold, in nine of ten cases: as many as tolerance.Shift took
// for normal differences (TestRoundsOfAPlan). Noise in bursts takes fewer.
func rounds(scatter, distance float64) int {
	ratio := scatter / distance
	return int(min(soon+24*ratio*ratio, most))
}

// announce prints after the first run how long it took and what follows. It returns an error if the
// time does not suffice for any verdict.
func (s *Search) announce(first *oneRun, took time.Duration) error {
	if s.Runs > 0 {
		all := 2 * s.Runs * len(s.Periods)
		fmt.Fprintf(s.say, "ebb: it took %s; at most %s, about %s\n",
			printable.Duration(first.wall), printable.Count(all+s.Batches, "more run"),
			printable.Duration(time.Duration(all+s.Batches)*first.wall))
		return nil
	}
	s.longest = 2 * took
	if need := fewest * s.longest; need > s.left() {
		return fmt.Errorf("%w: the program takes %s, a verdict at least %d runs alone and as "+
			"many sampled, and %s has room for less; allow --at-most %s or more, or set --runs",
			ErrTime, printable.Duration(first.wall), fewest, printable.Duration(s.AtMost),
			(2*(s.AtMost-s.left()+need)).Round(time.Minute)+time.Minute)
	}
	fmt.Fprintf(s.say, "ebb: it took %s; the plan follows after %d rounds, each alone and "+
		"sampled; a verdict takes %d or more, all of it %s at most\n",
		printable.Duration(first.wall), pilot, fewest, printable.Duration(s.AtMost))
	return nil
}

// plan prints the expected rounds, once the scatter of a period's first rounds is known.
func (s *Search) plan() {
	if s.Runs > 0 {
		return
	}
	calm, disturbed := s.outlook.calm(), s.outlook.disturbed()
	fmt.Fprintf(s.say, "ebb: plan: a round takes %s, and its difference scatters by %.1f %%; "+
		"expected for a period: %s where sampling changes nothing, %s where it adds %.0f %%; %s "+
		"left\n", printable.Duration(s.lasts(1)), 100*s.outlook.scatter(),
		s.take(calm), s.take(disturbed), 100*MaxTime, printable.Duration(max(s.left(), 0)))
	if s.lasts(calm) > s.left() {
		fmt.Fprintln(s.say, "ebb: that may not suffice for a verdict: allow more by --at-most, "+
			"let nothing else run, or give the program more to do in a run")
	}
}

// take returns a number of rounds and their time in words.
func (s *Search) take(n int) string {
	if n == most {
		return fmt.Sprintf("%d rounds or more", most)
	}
	return fmt.Sprintf("%s (%s)", printable.Count(n, "round"), printable.Duration(s.lasts(n)))
}

// lasts returns for how long so many rounds are expected to last.
func (s *Search) lasts(n int) time.Duration {
	return time.Duration(n) * s.took / time.Duration(max(s.rounds, 1))
}

// progress prints which round begins, and the known difference.
func (s *Search) progress(period int, row *Row, n int) {
	if s.Runs > 0 {
		fmt.Fprintf(s.say, "ebb: period %d ms, round %d of %d\n", period, n, s.Runs)
		return
	}
	text := fmt.Sprintf("ebb: period %d ms, round %d, %s left", period, n,
		printable.Duration(max(s.left(), 0)))
	if len(row.logs) >= fewest {
		text += ": time " + withInterval(row.criterion())
	}
	fmt.Fprintln(s.say, text)
}

// left returns the remaining time.
func (s *Search) left() time.Duration {
	if s.Runs > 0 {
		return math.MaxInt64
	}
	return s.AtMost - s.now().Sub(s.began)
}

// time reports whether the remaining time suffices for one more round.
func (s *Search) time() bool { return s.left() >= s.longest }

// another reports whether round n of a period begins.
func (s *Search) another(row *Row, n int, last bool) bool {
	switch {
	case s.Runs > 0:
		return n <= s.Runs
	case n <= pilot:
		return n == 1 || s.time() // the time for the first round was checked before
	case row.Sure || !s.time():
		return false
	}
	n = len(row.logs) + 1 // rounds whose time is not known promise no verdict
	switch {
	case (n > giveUp*s.outlook.disturbed() || s.left() < s.others) && !last:
		return false // undecided between the thresholds: a longer period may decide
	}
	return n <= fewest || s.lasts(max(s.outlook.calm()-n+1, 0)) <= hopeless*s.left()
}

// next returns which of the remaining periods is tried: the first if there is time for all.
// Otherwise it leaves out as many as there is no time for, evenly, and never the last.
func (s *Search) next(remaining int, first bool) int {
	if s.Runs > 0 || first {
		return 0
	}
	each := s.lasts(s.outlook.disturbed())
	fit := max(int(s.left()/max(each, 1)), 1)
	return (remaining+fit-1)/fit - 1
}

// wanting says what would bring a verdict where an interval contains its threshold.
func (s *Search) wanting(rows []Row) string {
	if s.Runs > 0 {
		return "Give more --runs."
	}
	if slices.ContainsFunc(rows, func(r Row) bool { return r.keptOpen() }) {
		return "Rounds that do not show how long the program waited for CPUs prevent a verdict: " +
			"let nothing else run, or set --runs, which then judges the time with that waiting."
	}
	if n := s.outlook.disturbed(); n < most && s.rounds > 0 {
		return fmt.Sprintf("The time of a round scatters by %.1f %%, so a verdict takes about "+
			"%s: allow more by --at-most, or let nothing else run.", 100*s.outlook.scatter(),
			s.take(n))
	}
	return fmt.Sprintf("The time of a round scatters by %.1f %%: let nothing else run.",
		100*s.outlook.scatter())
}

// untriedPeriods returns the periods for which there was no time, as text; empty where there was.
func (s *Search) untriedPeriods() string {
	var names []string
	for _, p := range s.untried {
		names = append(names, fmt.Sprint(p))
	}
	return strings.Join(names, ", ")
}
