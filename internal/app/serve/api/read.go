package api

import (
	"math"
	"strconv"
	"time"

	"github.com/ebb-energy/ebb/governor/many"
	"github.com/ebb-energy/ebb/internal/app/serve/board"
	"github.com/ebb-energy/ebb/units"
)

// Results are the names of the results of a quantum, indexed by board.Result.
var Results = []string{"decided", "undecided", "hole", "late"}

// HealthOf returns the answer to HealthPath.
func HealthOf(s *board.Service) Health { return Health{word(stateNames, int(s.State))} }

// word returns one of words; "unknown" for a number that has none.
func word(words []string, i int) string {
	if i < 0 || i >= len(words) {
		return "unknown"
	}
	return words[i]
}

// TenantsOf returns the answer to TenantsPath.
func TenantsOf(b *board.Board, s *board.Service, now units.Instant) Tenants {
	out := Tenants{Service: Service{Health: HealthOf(s).Health, Shadow: s.Shadow,
		UptimeNS: int64(now - s.Began), Rest: s.Rest, LowestHz: int64(s.Lowest),
		HighestHz: int64(s.Highest), Quanta: quanta(s.Quanta), LostRecords: s.Lost},
		Tenants: []Tenant{}}
	if s.PendingKnown {
		out.Service.RestorePending = &s.Pending
	}
	for i := range s.Tenants {
		if t, ok := b.Tenant(i); ok && t.Governed {
			out.Tenants = append(out.Tenants, tenant(&t, now))
		}
	}
	return out
}

func quanta(q [4]uint64) Quanta {
	return Quanta{q[board.Decided], q[board.Undecided], q[board.Hole], q[board.Late]}
}

func tenant(t *board.Tenant, now units.Instant) Tenant {
	out := Tenant{Name: t.Name, Objective: t.Objective, State: "awaited", Begins: t.Begins,
		ReferenceNS: whole(t.Reference), ExcessNS: whole(t.Excess), BusyNS: int64(t.Busy),
		Quanta: quanta(t.Quanta), WishedHz: int64(t.Wish), GotHz: int64(t.Got), Reason: t.Reason}
	switch {
	case t.Failed:
		out.State = "failed"
	case t.Present:
		out.State = "present"
	}
	budget := 0.0
	if t.Objective == "slowdown" {
		budget = finite(t.Budget)
		out.SlowdownBudget = &budget
	}
	if t.At != 0 {
		out.SinceNS = since(t.At, now)
		out.Slowdown10s, out.Burnt10s = window(t.Short, *out.SinceNS, many.Short, budget)
		out.Slowdown5min, out.Burnt5min = window(t.Long, *out.SinceNS, many.Long, budget)
	}
	if t.EnergyKnown {
		borne, caused, saved := int64(t.Borne), int64(t.Caused), int64(t.Saved)
		out.BorneNJ, out.CausedNJ, out.SavedNJ = &borne, &caused, &saved
	}
	return out
}

// window returns the slowdown over a window, and its share of the budget; nil where unknown.
func window(a board.Account, sinceNS int64, length time.Duration, budget float64,
) (lost, burnt *float64) {
	if !(a.Highest > 0) || sinceNS >= int64(length) {
		return nil, nil
	}
	x := finite(a.Took/a.Highest - 1)
	if budget > 0 {
		y := finite(x / budget)
		burnt = &y
	}
	return &x, burnt
}

// since returns the time from at to now, ns.
func since(at, now units.Instant) *int64 {
	ns := max(int64(now-at), 0)
	return &ns
}

// whole returns a whole number of ns.
func whole(ns float64) int64 { return int64(math.Round(finite(ns))) }

// finite returns a number that JSON can hold: 0 for one that it cannot.
func finite(x float64) float64 {
	if math.IsNaN(x) || math.Abs(x) > 1e18 {
		return 0
	}
	return x
}

// DomainsOf returns the answer to DomainsPath.
func DomainsOf(b *board.Board, s *board.Service, now units.Instant) Domains {
	out := Domains{Shadow: s.Shadow, Domains: []Domain{}}
	for i := range s.Domains {
		d, ok := b.Domain(i)
		if !ok {
			continue
		}
		o := Domain{Domain: strconv.Itoa(i), AskedHz: int64(d.Asked), By: d.By, Reason: d.Reason,
			ReportedHz: int64(d.Reported), Refused: d.Refused, BusyNS: int64(d.Busy)}
		if d.Asked != 0 {
			o.SinceNS = since(d.At, now)
		}
		if d.Counted {
			o.Cycles = &d.Cycles
		}
		out.Domains = append(out.Domains, o)
	}
	return out
}

// DecisionsOf returns the answer to DecisionsPath.
func DecisionsOf(b *board.Board, s *board.Service, now units.Instant) Decisions {
	out := Decisions{Decisions: []decision{}}
	for k := range min(s.Decided, board.Decisions) {
		d, ok := b.Decision(int((s.Decided - 1 - k) % board.Decisions))
		if !ok {
			continue
		}
		out.Decisions = append(out.Decisions, decision{Tenant: d.Tenant,
			Result: word(Results, int(d.Result)), AgeNS: *since(d.At, now),
			LateNS: int64(max(d.Late, 0)),
			TookNS: int64(d.Took), BusyNS: int64(d.Busy), DeliveredHz: int64(d.Delivered),
			EffectiveHz: int64(d.Effective), ChosenHz: int64(d.Chosen), RanNS: whole(d.Ran),
			HighestNS: whole(d.Highest), SlackNS: int64(d.Slack), Reason: d.Reason,
			LostRecords: d.Lost})
	}
	return out
}

// EnergyOf returns the answer to EnergyPath.
func EnergyOf(b *board.Board, s *board.Service, now units.Instant) Energy {
	out := Energy{Zones: []Zone{}}
	for i := range s.Zones {
		z, ok := b.Zone(i)
		if !ok {
			continue
		}
		o := Zone{Zone: z.Name, Kind: z.Kind, Source: z.Source, EnergyNJ: int64(z.Energy)}
		if z.At != 0 {
			o.AgeNS = since(z.At, now)
		}
		if w := finite(float64(z.Power)); w > 0 {
			o.PowerW = &w
		}
		out.Zones = append(out.Zones, o)
	}
	return out
}
