package predictor

import "github.com/ebb-energy/ebb/epochs"

// Whole is work of which only a part was added, in times. The part is taken to be like the rest.
type Whole struct {
	// Base is the mean clock of the work in Hz, by the scale of the frequencies given to Add: what
	// the part does not stand for scales with it. The part may have another one, or none at all.
	Base  float64
	Dur   epochs.Ticks // length
	Awake epochs.Ticks // part of Dur with a thread that ran, or could run
	Run   epochs.Ticks // running time of all threads
}

// mostAlike bounds how much more the whole does in a time than the part that was added. More than
// that is taken to scale with the clock: then neither a lower clock nor the time at the highest is
// believed to be better than it is.
const mostAlike = 2

// whole brings times of the part to the whole. The zero value changes nothing.
type whole struct {
	Whole
	known      bool
	partIdle   float64 // idle time of the part
	awake, run factor
}

// factor is the number of times that the whole has a time of the part, and more: the time, at the
// whole's clock, that the part does not stand for.
type factor struct{ by, more float64 }

// Stand says that the epochs added since the last Reset are a part of the work and stand for the
// whole. Durations and running times are the whole's from then on; those by thread stay the part's.
// It comes before Share.
func (p *Predictor) Stand(w Whole) {
	part := &p.work.Totals
	p.durations = p.durations[:0]
	longer := mostAlike * float64(w.Dur) / float64(max(part.Measured, 1))
	of := func(whole epochs.Ticks, part int64) factor {
		by := min(float64(whole)/float64(max(part, 1)), longer)
		return factor{by: by, more: max(float64(whole)-by*float64(part), 0)}
	}
	awake := part.Busy + part.Waited
	p.whole = whole{Whole: w, known: true, partIdle: float64(part.Measured - awake),
		awake: of(w.Awake, awake), run: of(w.Run, part.Run)}
}

// duration brings a duration of the part, predicted to f Hz on Base's scale, to the whole.
func (w *whole) duration(t, f float64) float64 {
	if !w.known {
		return t
	}
	return float64(w.Dur-w.Awake) + w.awake.at(t-w.partIdle, w.Base, f)
}

// running brings running time of the part, predicted to f Hz on Base's scale, to the whole.
func (w *whole) running(t, f float64) float64 {
	if !w.known {
		return t
	}
	return w.run.at(t, w.Base, f)
}

func (x *factor) at(t, base, f float64) float64 {
	if x.more == 0 {
		return float64(t * x.by)
	}
	return float64(t*x.by) + float64(x.more*base/f)
}

// lines returns the part of the lines that the memory moved during the whole.
func (p *Predictor) lines(of float64) float64 {
	if !p.whole.known || p.whole.Dur <= 0 {
		return of
	}
	return of * float64(p.work.Measured) / float64(p.whole.Dur)
}
