package campaign

import (
	"time"

	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/units"
)

// finish sees the truth, after the last event.
func (i *invariants) finish(t *simtest.Truth) {
	at := i.now
	if !i.ended {
		i.fail("time", at, "the run did not end")
	}
	i.Energy(at, t.Energy)
	if wall := at.Sub(i.start); (wall - t.Wall).Abs() > time.Nanosecond {
		i.fail("wall", at, "%v from beginning to end, the machine says %v", wall, t.Wall)
	}
	i.finishResidence(at, t)
	i.finishThreads(at, t)
	i.finishPower(at, t)
	if t.Lost != i.lost && !i.options.Quiet {
		i.fail("state", at, "%d records lost by their events, the machine says %d", i.lost, t.Lost)
	}
	var work int64
	for n, p := range t.Progress {
		if n > 0 && (p.Work < t.Progress[n-1].Work || p.At < t.Progress[n-1].At ||
			p.Energy.Total() < t.Progress[n-1].Energy.Total()) {
			i.fail("work", at, "progress goes from %+v to %+v", t.Progress[n-1], p)
		}
		work = p.Work
	}
	if len(t.Progress) > 0 && work != t.Work {
		i.fail("work", at, "progress ends at %d, all work is %d", work, t.Work)
	}
}

// finishResidence: the times at each frequency are those between the clock's events, and add up to
// the run's time.
func (i *invariants) finishResidence(at units.Instant, t *simtest.Truth) {
	var sum time.Duration
	slack := time.Duration(i.changes + 2)
	for _, r := range t.Frequencies {
		sum += r.Time
		if d := (r.Time - i.residence[r.Frequency]).Abs(); d > slack &&
			!i.options.Faults.Unreported {
			i.fail("residence", at, "%v at %v, by the clock's events %v", r.Time, r.Frequency,
				i.residence[r.Frequency])
		}
		if r.Busy < 0 || r.Busy > time.Duration(i.profile.Cores)*r.Time+slack {
			i.fail("residence", at, "busy for %v in %v at %v", r.Busy, r.Time, r.Frequency)
		}
	}
	if (sum - t.Wall).Abs() > slack {
		i.fail("residence", at, "times at the frequencies add up to %v, the wall is %v", sum,
			t.Wall)
	}
	cores := time.Duration(i.profile.Cores)
	if d := (t.Busy + t.Idle - cores*t.Wall).Abs(); d > cores {
		i.fail("residence", at, "busy %v and idle %v are not %d times %v", t.Busy, t.Idle,
			i.profile.Cores, t.Wall)
	}
}

// finishThreads: each thread's life adds up, all run time is the cores' busy time, and all
// instructions are the threads'. The machine's work is that of application threads and collectors.
func (i *invariants) finishThreads(at units.Instant, t *simtest.Truth) {
	var run time.Duration
	var work, instructions int64
	for _, th := range t.Threads {
		if life := th.End.Sub(th.Start); (th.Run + th.Ready +
			th.Asleep - life).Abs() > time.Nanosecond {
			i.fail("state", at, "thread %s ran %v, waited %v and slept %v, in a life of %v",
				th.Name, th.Run, th.Ready, th.Asleep, life)
		}
		run += th.Run
		if th.Role == simtest.App || th.Role == simtest.Collector {
			work += th.Work
		}
		instructions += th.Instructions
	}
	if (run - t.Busy).Abs() > time.Duration(len(t.Threads))+time.Microsecond {
		i.fail("wall", at, "threads ran for %v, cores were busy for %v", run, t.Busy)
	}
	if d := work - t.Work; d < -int64(len(t.Threads)) || d > int64(len(t.Threads)) {
		i.fail("work", at, "threads did %d instructions of work, the machine %d", work, t.Work)
	}
	if d := instructions - t.Instructions; d < -int64(len(t.Threads)) || d > int64(len(t.Threads)) {
		i.fail("work", at, "threads retired %d instructions, the machine %d", instructions,
			t.Instructions)
	}
}

// finishPower: energies are within the limits of the parts, and are the profile's price of what was
// done.
func (i *invariants) finishPower(at units.Instant, t *simtest.Truth) {
	if t.Wall <= 0 {
		return
	}
	i.packagePower(at, t)
	i.memoryPower(at, t)
	i.lineEnergy(at, t)
}

// packagePower: the package draws at least what an idle machine draws at its lowest state, and at
// most what all parts draw together.
func (i *invariants) packagePower(at units.Instant, t *simtest.Truth) {
	p := &i.profile.Power
	cores := float64(i.profile.Physical())
	cold := 0.5 // leakage at 28 K below the reference
	if p.Core.SleepAfter > 0 {
		cold *= p.Core.Asleep
	}
	lowest := p.Leakage(p.Voltage(i.profile.Lowest()))
	least := float64(p.Uncore.Static) + float64(p.Core.Static)*lowest*cold*cores
	cycles := float64(i.profile.Highest()) / 1e9
	// Eight instructions per cycle, and every line that memory can move.
	lines := i.profile.Bandwidth() / hardware.LineBytes / 1e9
	most := 4*float64(p.Core.Static)*cores +
		cores*cycles*(8*p.Core.Instruction+p.Core.Cycle+p.Core.L2) +
		float64(p.Uncore.Static) + cores*cycles*p.Uncore.L3 + lines*p.Uncore.Line
	if w := float64(t.Energy.Package()) / float64(t.Wall); w < least || w > most {
		i.fail("energy", at, "the package drew %.2f W on average, not %.2f to %.2f", w, least, most)
	}
}

// memoryPower: memory's background is between all ranks powered down and all active.
func (i *invariants) memoryPower(at units.Instant, t *simtest.Truth) {
	m := &i.profile.Power.Memory
	low := float64(m.PowerDown) * float64(m.Ranks)
	high := float64(m.Active) * float64(m.Ranks)
	if w := float64(t.Energy.DRAMBackground) / float64(t.Wall); w < 0.999*low || w > 1.001*high {
		i.fail("energy", at, "memory's background was %.3f W, not %.3f to %.3f", w, low, high)
	}
}

// lineEnergy: accesses cost their price, and the uncore's static power is constant.
func (i *invariants) lineEnergy(at units.Instant, t *simtest.Truth) {
	p := &i.profile.Power
	check := func(base float64, what string, got units.Energy, reads, writes float64) {
		want := base + reads*float64(t.DRAMReads) + writes*float64(t.DRAMWrites)
		if d := float64(got) - want; d > 1000+1e-6*want || d < -1000-1e-6*want {
			i.fail("energy", at, "%s of %d reads and %d writes cost %v, not %.0f nJ", what,
				t.DRAMReads, t.DRAMWrites, got, want)
		}
	}
	row := p.Memory.Activate * (1 - p.Memory.RowHits)
	check(0, "memory", t.Energy.DRAMAccess, p.Memory.Read+row, p.Memory.Write+row)
	check(p.Uncore.L3*float64(t.L3), "the way to memory", t.Energy.UncoreDynamic, p.Uncore.Line,
		p.Uncore.Line)
	if want := p.Uncore.Static.For(t.Wall); t.Energy.UncoreStatic > want+1000 ||
		t.Energy.UncoreStatic < want-1000 {
		i.fail("energy", at, "beyond the cores %v was always drawn, not %v", t.Energy.UncoreStatic,
			want)
	}
}
