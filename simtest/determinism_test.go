package simtest

import (
	"testing"

	"github.com/ebb-energy/ebb/simtest/hardware"
)

// requester asks for another frequency at each tick, round the states.
func requester(m *Computer) func(*Event) {
	i := 0
	return func(ev *Event) {
		if ev.stops() && ev.Kind == Sched {
			i += 7
			m.Request(m.profile.States[i%len(m.profile.States)])
		}
	}
}

// TestSameSeedSameRun: a run is a function of profile, program, options and requests, to the last
// bit, whatever the profile and whatever goes wrong.
func TestSameSeedSameRun(t *testing.T) {
	for _, p := range hardware.Profiles() {
		for _, faults := range []hardware.FaultPlan{{},
			{Refuse: 0.2, Late: 0.3, LateBy: 1e6, Lose: 0.01, Ignore: 0.1,
				Outages: []hardware.Outage{{From: 3e6, To: 9e6, Core: 1}},
				Caps:    []hardware.Cap{{From: 5e6, To: 8e6, Max: p.States[0]}}}} {
			seen := map[uint64]uint64{}
			for _, seed := range []uint64{1, 2, 1, 2} {
				m := newMachine(t, p, busyProgram(4, 40),
					Options{Seed: seed, Counters: []string{"cycles", "instructions"},
						Faults: faults})
				d := digest(events(t, m, requester(m))) ^ digest(*m.Truth())
				if was, ok := seen[seed]; ok && was != d {
					t.Errorf("%s, seed %d: two runs differ", p.Name, seed)
				}
				seen[seed] = d
			}
			if seen[1] == seen[2] {
				t.Errorf("%s: two seeds give the same run", p.Name)
			}
		}
	}
}

// TestRecordsDoNotDisturb: observing a run does not change it.
func TestRecordsDoNotDisturb(t *testing.T) {
	p := paper()
	base := Options{Seed: 5, Initial: 2 * testGHz}
	quiet := base
	quiet.Quiet = true
	exact := base
	exact.Exact, exact.Counters = true, []string{"crit_dram", "sq_full", "cycles"}
	sampled := base
	sampled.Sample, sampled.Progress, sampled.HoldOff = 1e6, 1e6, 3
	want := newMachine(t, p, busyProgram(4, 60), base)
	events(t, want, nil)
	for name, o := range map[string]Options{"quiet": quiet, "exact": exact, "sampled": sampled} {
		m := newMachine(t, p, busyProgram(4, 60), o)
		events(t, m, nil)
		a, b := *want.Truth(), *m.Truth()
		a.Progress, b.Progress = nil, nil
		// Energy is added up in other pieces; rounding apart it is the same.
		if d := a.Energy.Total() - b.Energy.Total(); d < -2 || d > 2 {
			t.Errorf("%s: energy %v, want %v", name, b.Energy.Total(), a.Energy.Total())
		}
		a.Energy, b.Energy = hardware.Energy{}, hardware.Energy{}
		if digest(a) != digest(b) {
			t.Errorf("%s: the run is another one: %v, want %v", name, b.Wall, a.Wall)
		}
	}
}

// TestWorkIsTheSame: whatever the frequency and whatever the requests, every application thread
// retires the same instructions and allocates the same bytes, and so do the collectors together.
func TestWorkIsTheSame(t *testing.T) {
	type work struct{ instructions, bytes int64 }
	sum := func(tr *Truth) map[string]work {
		w := map[string]work{}
		for _, x := range tr.Threads {
			k := x.Name
			switch x.Role {
			case App:
				if x.Name == "app" {
					k += x.ID2()
				}
			case Compiler:
				continue
			}
			v := w[k]
			w[k] = work{v.instructions + x.Work, v.bytes + x.Allocated}
		}
		return w
	}
	for seed := range uint64(5) {
		for _, p := range []hardware.Profile{paper(), paper().WithCores(2)} {
			want := sum(static(t, p, busyProgram(4, 100), Options{Seed: seed}, p.Highest()))
			collectors := func(w map[string]work) int64 {
				return w["collector-0"].instructions + w["collector-1"].instructions
			}
			check := func(what string, tr *Truth) {
				got := sum(tr)
				if c, d := collectors(got), collectors(want); c != d {
					t.Errorf("seed %d, %s: collectors retired %d, want %d", seed, what, c, d)
				}
				for k, v := range want {
					if k != "collector-0" && k != "collector-1" && got[k] != v {
						t.Errorf("seed %d, %s: %s did %+v, want %+v", seed, what, k, got[k], v)
					}
				}
			}
			for _, f := range p.States {
				if f%(750_000_000) == 250_000_000 {
					check(f.String(), static(t, p, busyProgram(4, 100), Options{Seed: seed}, f))
				}
			}
			m := newMachine(t, p, busyProgram(4, 100), Options{Seed: seed})
			events(t, m, requester(m))
			check("governed", m.Truth())
		}
	}
}
