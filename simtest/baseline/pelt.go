package baseline

import (
	"math"
	"time"
)

// pelt is a CPU's utilisation as the scheduler tracks it (kernel/sched/pelt.c): running time in
// periods of 1024 us, where a period counts half as much as one 32 periods later. Utilisation is
// the share of the geometric sum, in 1024ths.
//
// It is frequency-invariant by the clock (update_rq_clock_pelt): while the CPU runs at a part of
// its highest frequency the clock goes at that part of its speed, so that the same work makes the
// same utilisation. When the CPU goes idle the clock catches up, and what it was behind counts as
// idle; unless the CPU had reached full utilisation, as then there was no idle time to be stolen.
// The kernel counts in integers; here are floats, which differ by rounding only.
type pelt struct {
	sum    float64 // running time, decayed, in units of 1024 ns
	period float64 // part of the current period that has passed, in those units
	behind float64 // time by which the clock is behind, in those units
}

const peltPeriod = 1024 // units of 1024 ns

var (
	peltDecay = math.Pow(0.5, 1.0/32)
	peltMax   = peltPeriod / (1 - peltDecay) // LOAD_AVG_MAX, without the kernel's rounding (47742)
)

// run counts a time in which the CPU ran at speed (1: highest frequency).
func (p *pelt) run(d time.Duration, speed float64) {
	units := float64(d) / 1024
	p.advance(units*speed, true)
	p.behind += units * (1 - speed)
}

// begin gives the CPU the utilisation of a task that has just been created: half of what is free,
// as nothing is known of it yet (post_init_entity_util_avg).
func (p *pelt) begin() { p.sum += (peltMax - peltPeriod + p.period - p.sum) / 2 }

// idle counts a time in which it did not.
func (p *pelt) idle(d time.Duration) {
	if d <= 0 {
		return
	}
	if full := peltMax - peltPeriod - peltMax/1024; p.sum < full {
		p.advance(p.behind, false)
	}
	p.behind = 0
	p.advance(float64(d)/1024, false)
}

// advance is accumulate_sum.
func (p *pelt) advance(units float64, running bool) {
	total := p.period + units
	periods := math.Floor(total / peltPeriod)
	rest := total - periods*peltPeriod
	if periods == 0 {
		if running {
			p.sum += units
		}
		p.period = total
		return
	}
	decay := math.Pow(peltDecay, periods)
	p.sum *= decay
	if running {
		// what was left of the old period
		p.sum += (peltPeriod - p.period) * decay
		p.sum += peltPeriod * (peltDecay - decay) / (1 - peltDecay) // whole periods in between
		p.sum += rest                                               // the new period
	}
	p.period = rest
}

// util returns the utilisation, 0 to 1024.
func (p *pelt) util() float64 { return 1024 * p.sum / (peltMax - peltPeriod + p.period) }
