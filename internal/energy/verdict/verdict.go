// Package verdict says whether governing a program was worth it: what was saved, what was lost, up
// to which power of everything else that stands, and what would make it better. docs/verdict.md
// has a table of its answers.
package verdict

import (
	"fmt"
	"math"
	"time"

	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/units"
)

// Answer is a verdict in a word.
type Answer string

const (
	Worth   Answer = "worth it"
	Not     Answer = "not worth it"
	Nothing Answer = "no difference" // the highest frequency, or nothing that anybody notices
	Unknown Answer = "cannot say"
)

// Facts are what a verdict follows from.
type Facts struct {
	Control   bool   // ebb set the frequency
	NoControl string // the reason why ebb did not set it
	Metered   bool   // a meter shows what was used
	// Disbelieved is the reason why an existing meter is not believed; "" where it is, or there is
	// none.
	Disbelieved string
	Reference   bool // without a meter: the model describes no machine in particular
	Simulated   bool // the energies used and at the highest frequency are the simulator's, exact
	// Saved is the share of the energy at the highest frequency that was saved, and Lo and Hi are
	// its interval. Without a meter it is the model's, and has none.
	Saved, Lo, Hi float64
	Bare          bool         // one run only, without an interval
	Rounds        int          // number of whole runs that were compared; 0: one run is judged
	Used          units.Energy // energy of processor and memory
	Below         bool         // a lower frequency than the highest was in effect
	Doubt         bool         // mostly because a lower one would save less than the doubt
	// Lost is the time that was lost, as a share of that at the highest frequency without ebb; Wall
	// is the time that it took.
	Lost float64
	Wall time.Duration
	// Own is the part of Lost that ebb itself cost; 0 where it is not known apart.
	Own float64
	// Share is the program's part of the machine's busy CPU time; 0 when it is not known. Others is
	// the CPU time of all else. Client is the program's name if it is known to have a daemon do its
	// work.
	Share  float64
	Others time.Duration
	Client string
	// Pace is the mean clock, as a share of the highest; 0 when it is not known.
	Pace float64
	// Platform is the stated power of everything but processor and memory; 0 when it is not known.
	Platform units.Power

	Pairs    int            // number of probes at the highest frequency that the saving rests on
	Counters bool           // there are counters of instructions and stalls
	Table    bool           // functions' shares stand in for counters
	Budget   units.Slowdown // 0: no budget, but least system energy or a fixed frequency
	Fixed    bool           // a fixed frequency was asked for
	Minimize bool           // the least energy of the whole machine was asked for
	// AsGood is a fixed frequency that would do as well; 0: none is known.
	AsGood units.Frequency

	// Highest is the highest clock that could be chosen, and Hardware the one that the processor
	// has; 0 where it is not known. LimitedBy is the file that makes the difference, or that leaves
	// OneClock, nothing to choose; "" where none does. AtLeast: Highest stands for turbo, and no
	// counter shows which clock that was.
	Highest, Hardware units.Frequency
	LimitedBy         string
	OneClock, AtLeast bool
	// Uneven is the file that keeps some CPUs below Highest, at UnevenAt; "" where none does.
	Uneven   string
	UnevenAt units.Frequency
}

// Verdict is the answer, and what it rests on. Shares are null where they are not known.
type Verdict struct {
	Answer Answer `json:"answer"`
	// Line is the verdict in a sentence.
	Line  string   `json:"line"`
	Saved *float64 `json:"saved"` // share of the energy at the highest frequency, by a meter
	Lo    *float64 `json:"saved_lo"`
	Hi    *float64 `json:"saved_hi"` // ends of its interval, of 90 %
	Lost  *float64 `json:"lost"`     // share of the time at the highest frequency
	// BelowW is the power of everything else, in W, below which the saving exceeds what all of that
	// draws in the lost time, even at the interval's lower end; null: at any, or none was saved.
	BelowW *float64 `json:"below_w"`
	// ProgramShare is the program's part of the machine's busy CPU time.
	ProgramShare *float64 `json:"program_share"`
	Better       []string `json:"better"` // advice on what would make it better
}

const (
	// leastShare is the share of the busy CPU time from which on a saving is claimed: one clock
	// slows all that runs beside the program.
	leastShare = 0.5
	// unnoticed is a share of time or energy that nobody notices.
	unnoticed = 0.001
)

// Of judges the facts.
func Of(f *Facts) *Verdict {
	v := &Verdict{Better: []string{}}
	if !f.short() {
		v.Lost = &f.Lost
	}
	if f.Share > 0 && !f.short() {
		v.ProgramShare = &f.Share
	}
	v.decide(f)
	v.improve(f)
	return v
}

// decide finds the answer and its sentence.
func (v *Verdict) decide(f *Facts) {
	say := func(a Answer, format string, args ...any) {
		v.Answer, v.Line = a, string(a)+": "+fmt.Sprintf(format, args...)
	}
	switch {
	case !f.Control:
		say(Unknown, "ebb set no clock (%s); %s%s", f.NoControl, f.expected(),
			f.doubt())
		return
	case f.short():
		say(Unknown, "%s", f.tooShort())
		return
	case !f.Below:
		say(Nothing, "%s%s; nothing saved, %s%s", f.stay(), f.allTheTime(), v.ebbs(f), f.doubt())
		return
	case f.Disbelieved != "":
		say(Unknown, "%s; %s", f.Disbelieved, f.expected())
		return
	case !f.Metered:
		say(Unknown, "no energy meter; %s", f.expected())
		return
	case f.Share > 0 && f.Share < leastShare:
		say(Unknown, "only %s of the busy CPU time was the program's, and one clock slows the "+
			"others as well; all together used %s", printable.Percent(f.Share), f.change())
		return
	}
	saved, lo, hi := f.own()
	v.Saved, v.Lo, v.Hi = &saved, &lo, &hi
	if f.Bare {
		v.Lo, v.Hi = nil, nil
		say(Unknown, "%s in the one run; more runs would show how much of it is chance",
			f.change())
		return
	}
	how := printable.PercentWithin(saved, lo, hi)
	lost := f.lost()
	switch {
	case max(-lo, hi) < unnoticed && f.Lost <= unnoticed:
		say(Nothing, "less than %s of the energy saved or lost, %s", printable.Percent(unnoticed),
			lost)
	case hi < 0:
		say(Not, "%s more energy than at %s, %s", printable.PercentWithin(-saved, -hi, -lo),
			f.highest(), lost)
	case lo <= 0:
		say(Unknown, "between %s more and %s less energy, %s", printable.Percent(-lo),
			printable.Percent(hi), lost)
	default:
		v.stands(f, lo, how, lost, say)
	}
}

// stands finds up to which power of everything else a saving stands.
func (v *Verdict) stands(
	f *Facts, lo float64, how, lost string, say func(Answer, string, ...any),
) {
	longer := float64(f.Wall) * f.Lost / (1 + f.Lost)
	if f.Lost <= unnoticed || longer <= 0 {
		say(Worth, "%s of the energy saved, %s", how, lost)
		return
	}
	below := float64(f.Used) * (1/(1-lo) - 1) / longer // power in nJ per ns
	v.BelowW = &below
	stands := units.Power(math.Round(below*10) / 10)
	if f.Platform > units.Power(below) {
		say(Not, "%s of the energy saved, %s, and everything else draws %v meanwhile, more than "+
			"%v", how, lost, f.Platform, stands)
		return
	}
	say(Worth, "%s of the energy saved, %s; that stands while everything else draws less than %v",
		how, lost, stands)
}

// own is the program's saving. Programs beside it were slowed as well, and do the rest of their
// work later: as far as the busy time is not the program's, nothing is claimed, and at most what
// remains when the rest of their work, all of which may follow the clock, has used its energy.
func (f *Facts) own() (saved, lo, hi float64) {
	saved, lo, hi = f.Saved, f.Lo, f.Hi
	if f.Share <= 0 || f.Share >= 1 {
		return saved, lo, hi
	}
	later := 0.0
	if f.Pace > 0 {
		later = (1 - f.Share) * max(1-f.Pace*(1+f.Lost), 0)
	}
	return min(saved*f.Share, saved-later), min(lo*f.Share, lo-later), max(hi*f.Share, hi)
}
