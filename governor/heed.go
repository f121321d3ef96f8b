package governor

import (
	"math"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// heed compares the clock that was counted, cycles over the time that threads ran, with the one that the machine says it
// delivers. A request can be taken and do nothing: an error of the driver that the kernel swallows, a limit of the firmware
// that it does not know. Only the counter tells. It is told and not acted upon: a clock that stays below what is asked for looks the
// same where requests are ignored, for which to ask for the highest would be right, and where power limits many busy cores,
// for which it would give away all savings.
type heed struct {
	off   int // quanta in a row in which they differed, below 0 when the counted was the slower
	wrong bool
}

const (
	// farOff is by how much the clocks must differ, ln. Less is the part's own doing: thermal limits, sharing of power.
	farOff = 0.1
	// unheeded is for how many quanta in a row. A clock takes its time to follow, but not so long.
	unheeded = 8
)

// look compares the counted clock f with the one told. It says whether it has changed that they differ. Above the highest
// state nothing differs: it may stand for a range.
func (h *heed) look(f, told, highest units.Frequency) (changed bool) {
	d := math.Log(float64(f) / float64(told))
	switch {
	case d > farOff && told < highest:
		h.off = max(h.off, 0) + 1
	case d < -farOff:
		h.off = min(h.off, 0) - 1
	default:
		h.off = 0
	}
	is := h.off >= unheeded || h.off <= -unheeded
	if h.wrong == is || h.wrong && h.off != 0 {
		return false
	}
	h.wrong = is
	return true
}

// heeds looks whether the machine did what it says in the quantum, and tells when that has changed.
func (g *Governor) heeds(t *tally) {
	if g.cfg.Shadow || t.Hole || t.cycles == 0 || t.ThreadRun < t.Dur/4 || t.lowest != t.fastest {
		return
	}
	f := counted(t.cycles, t.ThreadRun)
	if !g.heed.look(f, t.fastest, g.highest()) {
		return
	}
	kind := Heeded
	if g.heed.wrong {
		kind = Unheeded
	}
	g.out = append(g.out, Action{Kind: kind, Frequency: f, Told: t.fastest})
}

// counted is cycles over time, to the MHz.
func counted(cycles uint64, ran time.Duration) units.Frequency {
	return units.Frequency(math.Round(float64(cycles)/ran.Seconds()/1e6) * 1e6)
}
