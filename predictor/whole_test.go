package predictor

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ebb-energy/ebb/epochs"
)

// TestStand: epochs that stand for n times as much of their kind predict n times as long, at every
// frequency. The whole's idle time stays what it is.
func TestStand(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 41))
		n := float64(1 + rng.IntN(8))
		part := mustNew(t, Config{Estimator: "crit-off"}, []string{"crit_off", "sq_off"})
		for range 1 + rng.IntN(20) {
			dur := 1 + rng.Int64N(1e6)
			lone(part, dur, rng.Int64N(dur+1), 2000*mhz)
		}
		ran := part.Measured()
		part.Add(&epochs.Epoch{Start: ran, Dur: epochs.Ticks(rng.Int64N(1e6))}, 2000*mhz)
		rested := part.Measured() - ran
		idle := int64(n)*int64(rested) + rng.Int64N(5e6)
		rate := 0.5 + rng.Float64()
		part.Rebase(rate)
		type times struct{ duration, running, advance float64 }
		of := func() (out []times) {
			for f := 1000 * mhz; f <= 4000*mhz; f += 500 * mhz {
				out = append(out, times{part.Duration(f), part.Running(f), part.RunTime(f)})
			}
			return out
		}
		before, sample := of(), part.Sample()
		all := epochs.Ticks(n * float64(ran))
		part.Stand(Whole{Base: 2e9, Dur: all + epochs.Ticks(idle), Awake: all, Run: all})
		if part.Measured() != all+epochs.Ticks(idle) {
			t.Fatalf("seed %d: %d measured, not %d", seed, part.Measured(), all+epochs.Ticks(idle))
		}
		near := func(what string, got, want float64) {
			if math.Abs(got-want) > 1e-9*want+1 {
				t.Fatalf("seed %d: %s of %g times as much is %.3f, not %.3f", seed, what, n, got,
					want)
			}
		}
		for i, now := range of() {
			near("Duration", now.duration, n*(before[i].duration-float64(rested))+float64(idle))
			near("Running", now.running, n*before[i].running)
			near("RunTime", now.advance, n*before[i].advance)
		}
		now := part.Sample()
		near("Time", now.Time, n*sample.Time)
		near("Lo", now.Lo, n*sample.Lo)
		near("Hi", now.Hi, n*sample.Hi)
	}
}

// TestStandForLittle: what the epochs cannot stand for, as they have too little of it, scales with
// the clock. A whole in whose part nothing ran scales altogether.
func TestStandForLittle(t *testing.T) {
	p := mustNew(t, Config{Estimator: "crit-off"}, []string{"crit_off", "sq_off"})
	lone(p, 1e6, 1e6, 2000*mhz) // nothing of it scales
	p.Add(&epochs.Epoch{Start: p.Measured(), Dur: 9e6}, 2000*mhz)
	p.Stand(Whole{Base: 2e9, Dur: 80e6, Awake: 40e6, Run: 40e6})
	// The part stands for twice its share of 8 ms, the other 24 ms scale.
	for _, at := range []struct {
		name string
		got  float64
		want float64
	}{
		{"at 1 GHz", p.Duration(1000 * mhz), 40e6 + 16e6 + 48e6},
		{"at 2 GHz", p.Duration(2000 * mhz), 80e6},
		{"at 4 GHz", p.Duration(4000 * mhz), 40e6 + 16e6 + 12e6},
		{"running at 4 GHz", p.Running(4000 * mhz), 16e6 + 12e6},
		{"advance at 4 GHz", p.Advance(4000 * mhz), 40e6 + 16e6 + 12e6},
	} {
		if math.Abs(at.got-at.want) > 1 {
			t.Errorf("%s: %.0f ns, not %.0f", at.name, at.got, at.want)
		}
	}
	p.Reset()
	p.Add(&epochs.Epoch{Dur: 5e6}, 2000*mhz)
	p.Stand(Whole{Base: 2e9, Dur: 40e6, Awake: 10e6, Run: 20e6})
	if d, r := p.Duration(4000*mhz), p.Running(4000*mhz); d != 35e6 || r != 10e6 {
		t.Errorf("of a part in which nothing ran: %.0f and %.0f ns", d, r)
	}
	p.Reset()
	p.Stand(Whole{Base: 1e9, Dur: 40e6, Awake: 10e6, Run: 20e6})
	if d, r, at := p.Duration(4000*mhz), p.Running(4000*mhz), p.Sample().Frequency; d != 32.5e6 ||
		r != 5e6 || at != 1e9 {
		t.Errorf("of a part that is empty: %.0f and %.0f ns, at %.0f Hz", d, r, at)
	}
	p.Reset()
	lone(p, 1e6, 0, 2000*mhz)
	if d := p.Duration(4000 * mhz); d != 5e5 {
		t.Errorf("after Reset it stands for more than itself: %.0f ns", d)
	}
}

// TestDurationsAreOfTheWorkAsItIs: a prediction that was made before does not hide what was added,
// or said, since.
func TestDurationsAreOfTheWorkAsItIs(t *testing.T) {
	columns := []string{"crit_off", "sq_off"}
	changes := []func(*Predictor){
		func(p *Predictor) { lone(p, 3e6, 1e6, 2500*mhz) },
		func(p *Predictor) { p.Rebase(0.8) },
		func(p *Predictor) { p.SetAlpha(0.9) },
		func(p *Predictor) { p.Share(2e5) },
		func(p *Predictor) { p.Stand(Whole{Base: 2e9, Dur: 60e6, Awake: 50e6, Run: 50e6}) },
		func(p *Predictor) { p.Advance(4000 * mhz) },
		func(p *Predictor) { p.Reset(); lone(p, 2e6, 1e6, 1500*mhz) },
	}
	asked, fresh := mustNew(t, Config{Estimator: "crit-off"}, columns),
		mustNew(t, Config{Estimator: "crit-off"}, columns)
	for i, change := range changes {
		change(asked)
		change(fresh)
		fresh.durations = fresh.durations[:0]
		for f := 1000 * mhz; f <= 4000*mhz; f += 500 * mhz {
			got, want := asked.Duration(f), fresh.Duration(f)
			lo, _ := asked.Interval(f)
			fresh.durations = fresh.durations[:0]
			if wantLo, _ := fresh.Interval(f); got != want || lo != wantLo {
				t.Errorf("change %d, %v: %.3f from %.3f, not %.3f from %.3f", i, f, got, lo, want,
					wantLo)
			}
			fresh.durations = fresh.durations[:0]
		}
	}
}

// TestReleasedLeadIsOne: what threads had ahead, and a part of a rest releases, counts once. The
// rest did not release it as often as the part stands for more.
func TestReleasedLeadIsOne(t *testing.T) {
	const base, f, longer = 2000 * mhz, 1000 * mhz, 8
	released := 0
	for seed := range uint64(5000) {
		rng := rand.New(rand.NewPCG(seed, 43))
		one := mustNew(t, Config{Estimator: "crit"}, testColumns)
		same := mustNew(t, Config{Estimator: "crit"}, testColumns)
		es := randomEpochs(rng)
		for i := range es {
			one.Add(&es[i], base)
			same.Add(&es[i], base)
			if rng.IntN(4) > 0 {
				continue
			}
			if rng.IntN(4) > 0 {
				one.Advance(f)
				same.Advance(f)
				one.Reset()
				same.Reset()
				continue
			}
			part := &same.work.Totals
			if part.Measured == 0 || part.Busy+part.Waited < part.Measured {
				break // idle time stands for none
			}
			same.Stand(Whole{Base: float64(base), Dur: epochs.Ticks(part.Measured) * longer,
				Awake: epochs.Ticks(part.Busy+part.Waited) * longer,
				Run:   epochs.Ticks(part.Run) * longer})
			alone, advance := one.Duration(f), one.Advance(f)
			ahead := max(advance-alone, 0)
			if ahead > 1 {
				released++
			}
			want := longer*(advance-ahead) + ahead
			if is := same.Advance(f); math.Abs(is-want) > 1+1e-9*want {
				t.Fatalf("seed %d: %.1f, want %.1f of %.1f and %.1f ahead", seed, is, want,
					advance-ahead, ahead)
			}
			break
		}
	}
	if released < 10 {
		t.Errorf("only %d parts released a lead", released)
	}
}
