package governor

import (
	"math"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor/clockwatch"
	"github.com/ebb-energy/ebb/units"
)

// maxRows bounds the rows kept of a quantum, to some 30 MB: a quantum of a second with half a
// million rows. One that has more is a hole.
const maxRows = 1 << 19

// tally sums up a quantum's epochs as they come.
type tally struct {
	Measured // Start and the sums so far; measure sets the other fields

	end     units.Instant // end of the quantum, set when it was cut
	running int           // threads that ran when it was cut

	logClock        float64         // sum of ln(frequency) times the ns in which a thread ran
	lowest, fastest units.Frequency // least and highest clock while a thread ran; 0 without any
	newest          units.Frequency // clock of which logNewest is ln
	logNewest       float64
	count           clockwatch.Count

	rested bool // the governor rested in it
	quanta int  // number of the grid's quanta in the rest
	broken bool // the machine ended the rest early
	// brief is the time up to which epochs are not predicted; the later ones stand for them. 0:
	// all are.
	brief    units.Instant
	switches uint64 // number of times that a thread stopped
	// ready is the time in which threads could run and did not, summed over them.
	ready time.Duration
}

// predicts reports whether an epoch is one of those that the quantum's predictions are made from.
func (t *tally) predicts(e *epochs.Epoch) bool {
	return units.Instant(e.Start+e.Dur) > t.brief
}

// begin empties t for the quantum that starts at start.
func (t *tally) begin(start units.Instant) { *t = tally{Measured: Measured{Start: start}} }

// add enters an epoch that ran at the clock the machine reported.
func (t *tally) add(e *epochs.Epoch, clock units.Frequency, have *columns) {
	t.Epochs++
	t.Rows += len(e.Rows)
	t.Hole = t.Hole || e.Hole
	t.ready += time.Duration(e.Waits.Ready())
	if len(e.Rows) > 0 {
		t.ran(clock, int64(e.Dur))
		t.Busy += time.Duration(e.Dur)
		t.ThreadRun += time.Duration(e.Dur) * time.Duration(len(e.Rows))
	} else if e.Waits.Ready() > 0 {
		t.Waited += time.Duration(e.Dur)
	}
	if i := have.instructions; i >= 0 {
		for r := range e.Rows {
			t.Instructions += uint64(e.Rows[r].Values[i])
		}
	}
	if i := have.reads; i >= 0 {
		for r := range e.Rows {
			t.DRAMReads += uint64(e.Rows[r].Values[i])
		}
	}
	if have.cycles >= 0 {
		t.count.Add(e, have.cycles, clock)
	}
}

// ran enters that a thread ran at f for dur ns.
func (t *tally) ran(f units.Frequency, dur int64) {
	if t.Busy == 0 {
		t.lowest, t.fastest = f, f
	}
	t.lowest, t.fastest = min(t.lowest, f), max(t.fastest, f)
	if f != t.newest {
		t.newest, t.logNewest = f, math.Log(float64(f))
	}
	t.logClock += float64(dur) * t.logNewest
}

// steady reports whether the quantum's work ran at one frequency.
func (t *tally) steady() bool { return t.lowest == t.fastest }
