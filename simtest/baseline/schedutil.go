package baseline

import (
	"time"

	"github.com/ebb-energy/ebb/units"
)

// schedutil is the kernel's schedutil governor: the frequency proportional to the highest
// utilisation among the domain's CPUs, with a quarter on top so that a CPU reaches 80 % at most.
//
// The kernel calls it when a task starts or stops running and at ticks; here it samples every
// millisecond, which is one period of the utilisation. The model assumes that between two samples a
// core first ran and then idled, and that a core that runs for the first time runs a new task. It
// leaves out three other things that the kernel tracks: the utilisation of tasks created later, the
// estimated utilisation of sleeping tasks (util_est), which would keep the frequency higher across
// sleeps longer than some 10 ms, and boosts after I/O waits.
type schedutil struct {
	// Min and Max clamp every CPU's utilisation, 0 to 1024 (uclamp).
	Min, Max float64
	// RateLimit is the shortest time between changes (rate_limit_us); by default the driver's
	// delay.
	RateLimit time.Duration

	d       Domain
	cores   []pelt
	busy    []time.Duration
	at      units.Instant
	clock   units.Frequency // clock in the time since at
	begun   bool
	next    units.Frequency // last requested frequency
	changed units.Instant   // time of that request
	raw     units.Frequency // frequency before it was mapped to a state
}

// newSchedutil returns the governor with the kernel's defaults.
func newSchedutil(d Domain) *schedutil { return &schedutil{Max: 1024, RateLimit: d.Delay, d: d} }

// Name returns "schedutil".
func (*schedutil) Name() string { return "schedutil" }

// Initial returns the lowest frequency, where an idle machine ends up.
func (g *schedutil) Initial() units.Frequency { return g.d.Table.min() }

// Period returns the interval of the samples that stand for the kernel's calls.
func (g *schedutil) Period() time.Duration { return time.Millisecond }

// Sample does the work of sugov_update_shared.
func (g *schedutil) Sample(s *Sample) (units.Frequency, bool) {
	ran := g.track(s)
	if !ran || g.next != 0 && s.At.Sub(g.changed) < g.RateLimit {
		return 0, false
	}
	util := 0.0
	for c := range g.cores {
		util = max(util, g.effective(g.cores[c].util()))
	}
	raw := units.Frequency(float64(g.d.Table.max()) * util / 1024)
	if raw == g.raw {
		return 0, false
	}
	g.raw = raw
	f := g.d.Table.atLeast(raw)
	if f == g.next {
		return 0, false
	}
	g.next, g.changed = f, s.At
	return f, true
}

// effective returns the capacity that a CPU's utilisation requires, 0 to 1024
// (sugov_effective_cpu_perf).
func (g *schedutil) effective(util float64) float64 {
	return max(g.Min, min(util+util/4, g.Max, 1024))
}

// track brings the utilisations up to s and says whether any CPU ran since, since idle CPUs call no
// hook.
func (g *schedutil) track(s *Sample) (ran bool) {
	if !g.begun {
		g.begun = true
		g.cores = make([]pelt, len(s.Busy))
		g.busy = append([]time.Duration(nil), s.Busy...)
		g.at, g.clock = s.At, s.Frequency
		return false
	}
	passed := s.At.Sub(g.at)
	speed := float64(g.clock) / float64(g.d.Table.max())
	for c := range g.cores {
		busy := min(s.Busy[c]-g.busy[c], passed)
		if busy > 0 {
			ran = true
			if g.busy[c] == 0 {
				g.cores[c].begin()
			}
			g.cores[c].run(busy, speed)
		}
		g.cores[c].idle(passed - busy)
		g.busy[c] = s.Busy[c]
	}
	g.at, g.clock = s.At, s.Frequency
	return ran
}
