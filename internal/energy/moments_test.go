package energy

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// BenchmarkMoments reports the error of a method's share of 60 %, as a standard deviation in
// points, for three ways to sample a thread: once per fixed period of CPU time, as the sampler
// does, at a random moment of each period, or at random. 10 s of CPU time at 99 Hz; the methods
// have 60, 30 and 10 %. By chance alone it would be 1.56 points. Use -benchtime=1x.
func BenchmarkMoments(b *testing.B) {
	const runs, length, period = 400, 10_000.0, 1000.0 / 99 // ms
	for _, program := range []struct {
		name string
		make func(r *rand.Rand) []span60
	}{
		{"0.1ms-stretches", func(r *rand.Rand) []span60 { return stretches(r, length, 0.1) }},
		{"2ms-stretches", func(r *rand.Rand) []span60 { return stretches(r, length, 2) }},
		{"30ms-stretches", func(r *rand.Rand) []span60 { return stretches(r, length, 30) }},
		{"16.7ms-frames", func(r *rand.Rand) []span60 { return frames(r, length, 16.7, 0.01) }},
		{"in-step", func(r *rand.Rand) []span60 { return frames(r, length, period/2, 0.001) }},
	} {
		b.Run(program.name, func(b *testing.B) {
			squares := map[string]float64{}
			for b.Loop() {
				clear(squares)
				for seed := range uint64(runs) {
					r := rand.New(rand.NewPCG(seed, 20261121))
					spans := program.make(r)
					moments := map[string][]float64{}
					at := 0.0
					for k := range int(length / period) {
						moments["fixed"] = append(moments["fixed"], period*float64(k+1))
						moments["jittered"] = append(moments["jittered"],
							period*(float64(k)+r.Float64()))
						at += period * r.ExpFloat64()
						moments["random"] = append(moments["random"], math.Mod(at, length))
					}
					truth := 0.0
					for _, s := range spans {
						if s.most {
							truth += s.to - s.from
						}
					}
					for how, m := range moments {
						off := 100 * (seen(spans, m) - truth/length)
						squares[how] += off * off / runs
					}
				}
			}
			b.ReportMetric(0, "ns/op")
			for how, s := range squares {
				b.ReportMetric(math.Sqrt(s), "points-"+how)
			}
		})
	}
}

// span60 is a stretch of CPU time, in ms, in the method that has 60 % of it or in another.
type span60 struct {
	from, to float64
	most     bool
}

func stretches(r *rand.Rand, length, mean float64) (out []span60) {
	for at := 0.0; at < length; {
		to := min(at+mean*r.ExpFloat64(), length)
		out = append(out, span60{at, to, r.Float64() < 0.6})
		at = to
	}
	return out
}

// frames are rounds of the same length but for a noise, in the same order.
func frames(r *rand.Rand, length, period, noise float64) (out []span60) {
	for at := -period * r.Float64(); at < length; {
		round := period * (1 + noise*r.NormFloat64())
		for _, s := range []span60{{at, at + 0.6*round, true},
			{at + 0.6*round, at + round, false}} {
			if s.from, s.to = max(s.from, 0), min(s.to, length); s.to > s.from {
				out = append(out, s)
			}
		}
		at += round
	}
	return out
}

// seen is the share of moments at which the method is seen.
func seen(spans []span60, moments []float64) float64 {
	n := 0
	for _, at := range moments {
		i, j := 0, len(spans)-1
		for i < j {
			if mid := (i + j) / 2; spans[mid].to > at {
				j = mid
			} else {
				i = mid + 1
			}
		}
		if spans[i].most {
			n++
		}
	}
	return float64(n) / float64(len(moments))
}

// TestIntervalsHold: the 95 % interval has the truth in nine of ten runs and more, for a method
// that is seen in stretches far shorter than the period, where samples are independent.
func TestIntervalsHold(t *testing.T) {
	const runs, length, period = 200, 10_000.0, float64(samplePer) / float64(time.Millisecond)
	covered := 0
	for seed := range uint64(runs) {
		r := rand.New(rand.NewPCG(seed, 95))
		spans := stretches(r, length, 0.3)
		var moments []float64
		for at := period; at < length; at += period {
			moments = append(moments, at)
		}
		truth := 0.0
		for _, s := range spans {
			if s.most {
				truth += s.to - s.from
			}
		}
		n := float64(len(moments))
		if lo, hi := Interval([]Part{{seen(spans, moments) * n, n, n}}); lo <= truth/length &&
			truth/length <= hi {
			covered++
		}
	}
	if covered < runs*9/10 {
		t.Errorf("the intervals have the truth in %d of %d runs", covered, runs)
	}
}
