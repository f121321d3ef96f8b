//go:build !race

package simhost_test

import (
	"errors"
	"io"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/power/powermodel"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/simtest/workload"
	"github.com/ebb-energy/ebb/units"
)

// trainedWindow is the length of a window on the simulated machine, whose programs are short.
const trainedWindow = 10 * time.Millisecond

// trainedInputs are the inputs of a window, as package activity has them.
var trainedInputs = []string{"cpu_busy", "busy_cpus_1", "busy_cpus_2", "busy_cpus_4", "contexts",
	"wakeups", "cpu-migrations"}

// programRun is what a simulated kernel counts of a program at the highest frequency, window by
// window, and the true power.
type programRun struct {
	name    string
	inputs  [][]float64 // by window, then as trainedInputs
	power   []float64   // W
	onCPU   map[epochs.TID]int16
	changes map[units.Instant]int // of the number of busy cores
	counts  [3]float64            // switches, wake-ups, migrations in this window
}

func runProgram(t *testing.T, p hardware.Profile, w simtest.Workload) *programRun {
	t.Helper()
	m, err := simtest.New(p, w, simtest.Options{Seed: 1, Sample: trainedWindow})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	r := &programRun{name: w.Name, onCPU: map[epochs.TID]int16{},
		changes: map[units.Instant]int{}}
	var before hardware.Energy
	var busy time.Duration
	for buf := make([]simtest.Event, 256); ; {
		n, err := m.Next(buf)
		for i := range buf[:n] {
			if buf[i].Kind == simtest.Sched {
				r.sched(&buf[i].Sched)
			}
			if buf[i].Kind != simtest.Sample {
				continue
			}
			now, all := m.Truth().Energy, time.Duration(0)
			for _, b := range m.Usage().Busy {
				all += b
			}
			spent := (now.Package() + now.DRAM()) - (before.Package() + before.DRAM())
			share := (all - busy).Seconds() / trainedWindow.Seconds() / float64(p.Cores)
			r.window(100*share, float64(spent.Over(trainedWindow)))
			before, busy = now, all
		}
		if errors.Is(err, io.EOF) {
			return r
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// sched counts what the scheduler does.
func (r *programRun) sched(ev *epochs.Event) {
	switch ev.Kind {
	case epochs.On:
		if ev.Cause == epochs.Woken {
			r.counts[1]++
		}
		if last, ran := r.onCPU[ev.Thread]; ran && last != ev.CPU {
			r.counts[2]++
		}
		r.onCPU[ev.Thread] = ev.CPU
	case epochs.Off, epochs.Slice:
		r.changes[ev.From]++
		r.changes[ev.At]--
		if ev.Kind == epochs.Off {
			r.counts[0]++
		}
	}
}

// window ends a window. No slice crosses its end: the machine closes them at each tick.
func (r *programRun) window(busy, watts float64) {
	moments := slices.Sorted(maps.Keys(r.changes))
	var levels [3]float64 // percent of the time with at least 1, 2, 4 cores busy
	n := 0
	for i, m := range moments {
		n += r.changes[m]
		if i+1 == len(moments) {
			break
		}
		share := 100 * moments[i+1].Sub(m).Seconds() / trainedWindow.Seconds()
		for k := range levels {
			if n >= 1<<k {
				levels[k] += share
			}
		}
	}
	in := []float64{busy, levels[0], levels[1], levels[2]}
	for _, c := range r.counts {
		in = append(in, c/trainedWindow.Seconds())
	}
	r.inputs, r.power = append(r.inputs, in), append(r.power, watts)
	r.counts = [3]float64{}
	clear(r.changes)
}

// tableOf makes a metered table of some programs.
func tableOf(runs []*programRun) *powermodel.Table {
	t := &powermodel.Table{Inputs: trainedInputs, Columns: make([][]float64, len(trainedInputs))}
	for p, r := range runs {
		t.Programs = append(t.Programs, r.name)
		for i, in := range r.inputs {
			for k, x := range in {
				t.Columns[k] = append(t.Columns[k], x)
			}
			t.Power, t.Program = append(t.Power, r.power[i]), append(t.Program, p)
		}
	}
	return t
}

// judge is the error of a program's energy, and the share of its windows inside their interval.
func judge(m *powermodel.Model, r *programRun) (total, held float64) {
	var measured, predicted float64
	for i, in := range r.inputs {
		p := m.Predict(in)
		measured, predicted = measured+r.power[i], predicted+p.Power
		if r.power[i] >= p.Low && r.power[i] <= p.High {
			held += 1 / float64(len(r.inputs))
		}
	}
	return predicted/measured - 1, held
}

func programRuns(t *testing.T, machine string) (runs []*programRun) {
	t.Helper()
	p, err := hardware.ByName(machine)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range append(append(basics(), workload.Paper()...), workload.More()...) {
		runs = append(runs, runProgram(t, p, w))
	}
	return runs
}

// basics are the programs that every training has: nothing, and steps of load on 1 to 4 cores.
func basics() []simtest.Workload {
	idle := func(b *simtest.Builder) {
		b.Thread("idle", simtest.App, func(t *simtest.Thread) { t.Sleep(300 * time.Millisecond) })
	}
	load := func(b *simtest.Builder) {
		for core := range 4 {
			b.Thread("load", simtest.App, func(t *simtest.Thread) {
				t.Sleep(time.Duration(core) * 160 * time.Millisecond) // one core more each time
				for step := range 4 * (4 - core) {
					busy := int64(1+step%4) * 1_250_000 // instructions: a quarter of 10 ms and more
					for range 4 {
						t.Run(&compute, busy)
						t.Sleep(time.Duration(3-step%4) * 2500 * time.Microsecond)
					}
				}
			})
		}
	}
	return []simtest.Workload{{Name: "idle", Threads: 1, Build: idle},
		{Name: "load", Threads: 4, Build: load}}
}

// intervalsHold leaves each program out in turn.
func intervalsHold(t *testing.T, machine string, runs []*programRun) {
	t.Helper()
	v, err := powermodel.Crossvalidate(tableOf(runs), powermodel.Default, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range v.Coverage {
		t.Logf("%s: intervals of %.0f %% hold %.1f %% of programs left out", machine, 100*c.Nominal,
			100*c.Mean)
		if math.Abs(c.Mean-c.Nominal) > 0.05 {
			t.Errorf("%s: intervals of %.0f %% hold %.1f %%", machine, 100*c.Nominal, 100*c.Mean)
		}
	}
}

// TestTrainedOnSimulatedMachines trains on the basics and half of the programs, and judges on the
// other half, on two machines with different physics: the error of a program's energy is 10 % or
// less on average. On the other machine's programs it is at least twice as large: the reason why a
// model of another machine is refused. With each program left out in turn, intervals hold what they
// are to hold, each program weighing alike. All seeds are fixed.
func TestTrainedOnSimulatedMachines(t *testing.T) {
	var last []*programRun
	for _, machine := range []string{"haswell-ep", "rome"} {
		runs := programRuns(t, machine)
		judged := float64(len(runs) - 2) // the basics are trained on each time
		var mean, worst, held, foreign float64
		for half := range 2 {
			var seen, unseen []*programRun
			for i, r := range runs {
				if i%2 == half || i < 2 {
					seen = append(seen, r)
				} else {
					unseen = append(unseen, r)
				}
			}
			m, err := powermodel.Train(tableOf(seen), powermodel.Default, powermodel.Provenance{})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range unseen {
				e, h := judge(m, r)
				t.Logf("%s, %s: %+.1f %%, %.0f %% of %d windows held", machine, r.name, 100*e,
					100*h, len(r.inputs))
				mean += math.Abs(e) / judged
				worst, held = max(worst, math.Abs(e)), held+h/judged
			}
			for _, r := range last {
				e, _ := judge(m, r)
				foreign += math.Abs(e) / float64(2*len(last))
			}
		}
		t.Logf("%s: unseen programs' energy errs by %.1f %% on average, %.1f %% at most, %.0f %% "+
			"held", machine, 100*mean, 100*worst, 100*held)
		if mean > 0.1 {
			t.Errorf("%s: more than 10 %% of error", machine)
		}
		intervalsHold(t, machine, runs)
		if last != nil && foreign < 2*mean {
			t.Errorf("the other machine's programs err by %.1f %%", 100*foreign)
		}
		last = runs
	}
}
