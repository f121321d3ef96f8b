package report

import (
	"time"

	"github.com/ebb-energy/ebb/internal/energy/verdict"
	"github.com/ebb-energy/ebb/units"
)

// SoFar has the figures of a run that goes on.
type SoFar struct {
	Time     time.Duration // time since the run's begin
	Profiled time.Duration // part of the time that the other fields describe
	// Cycles are the cycles of a clock at the requested frequencies, over Profiled.
	Cycles float64
	// Slowdown is the slowdown by clock and ebb together, as a share.
	Slowdown float64
	// Modelled is the energy of processor, memory and platform, over Profiled; 0 where the model
	// describes no machine.
	Modelled units.Energy
}

// Short reports whether the run has not lasted long enough for its slowdown to say anything (see
// verdict.Short).
func (s *SoFar) Short() bool { return s.Time <= 0 || verdict.Short(s.Time) }

// SoFar adds up the quanta that were observed.
func (o *Observer) SoFar() SoFar {
	s := SoFar{Time: o.end.Sub(o.begin), Profiled: time.Duration(o.r.ProfiledNS)}
	if !o.Reference {
		s.Modelled = o.energy.Total()
	}
	for f, d := range o.share {
		s.Cycles += float64(f) * d.Seconds()
	}
	own := float64(o.own)
	if o.r.ProfiledNS > 0 && s.Time > s.Profiled {
		own *= share(o.r.ProfiledNS, int64(s.Time))
	}
	s.Slowdown = ratio(o.slowEff, o.slowMax-own) - 1
	return s
}

// Clock returns the mean frequency from an earlier moment of the run to this one; 0 when nothing
// was profiled between them.
func (s SoFar) Clock(from SoFar) units.Frequency {
	if s.Profiled <= from.Profiled {
		return 0
	}
	return units.Frequency((s.Cycles - from.Cycles) / (s.Profiled - from.Profiled).Seconds())
}

// Power returns the modelled power between the two moments; 0 when nothing was profiled.
func (s SoFar) Power(from SoFar) units.Power {
	if s.Profiled <= from.Profiled {
		return 0
	}
	return (s.Modelled - from.Modelled).Over(s.Profiled - from.Profiled)
}
