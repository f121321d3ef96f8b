package energy

import (
	"cmp"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// PerMethod divides what the threads of a ledger by Jalen2012 have, by equations 8 and 9 of
// e-Surgeon. It changes no other rule's ledger. of names the method of a unit: the leaf of its call
// stack. PerMethod is called once, after Finish, because methods have names only then. The cycle of
// these equations is the whole run.
//
// A method's duration is the CPU time that its samples represent. So the durations of a thread's
// methods add up to its CPU time, and each method gets all of the thread's energy.
func (l *Ledger) PerMethod(of func(Unit) string) {
	if l.rule.Name() != Jalen2012 {
		return
	}
	threads := map[epochs.TID][]Unit{}
	for u := range l.entries {
		if u.Stack != NoStack {
			threads[u.Thread] = append(threads[u.Thread], u)
		}
	}
	for _, own := range threads {
		slices.SortFunc(own, func(a, b Unit) int {
			return cmp.Or(cmp.Compare(of(a), of(b)), compareUnits(a, b))
		})
		l.perMethod(own, of)
	}
}

// perMethod divides the energy of a thread's units, which are in order of their methods.
func (l *Ledger) perMethod(own []Unit, of func(Unit) string) {
	var cpu time.Duration
	thread := make([]units.Energy, len(l.zones))
	for _, u := range own {
		cpu += l.entries[u].Time
		for z, e := range l.entries[u].Energy {
			thread[z] += e
		}
	}
	for len(own) > 0 {
		n := 1
		for n < len(own) && of(own[n]) == of(own[0]) {
			n++
		}
		method := own[:n]
		own = own[n:]
		var duration time.Duration
		for _, u := range method {
			duration += l.entries[u].Time
		}
		for z := range l.zones {
			l.give(method, z,
				methodEnergy(methodTime(duration, cpu, cpu), thread[z], duration))
		}
	}
}

// give replaces the energy of a method's units by an amount, divided by their CPU time. A method
// without CPU time keeps what it has.
func (l *Ledger) give(method []Unit, zone int, amount units.Energy) {
	weights := make([]float64, len(method))
	for i, u := range method {
		weights[i] = float64(l.entries[u].Time)
	}
	parts, some := Divide(amount, weights, nil)
	if !some {
		return
	}
	for i, u := range method {
		more := parts[i] - l.entries[u].Energy[zone]
		l.entries[u].Energy[zone] += more
		l.totals[zone].Attributed += more
		l.totals[zone].Unattributed -= more
	}
}
