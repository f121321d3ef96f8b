package campaign

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/units"
)

// onDecided changes decided quanta.
func onDecided(change func(*governor.Quantum)) *tamper {
	return &tamper{actions: func(_ *governor.Event, actions []governor.Action) []governor.Action {
		for i := range actions {
			if actions[i].Kind == governor.Decided {
				change(&actions[i].Quantum)
			}
		}
		return actions
	}}
}

// onRequest puts something in the place of requests.
func onRequest(change func(units.Frequency) []units.Frequency) *tamper {
	return &tamper{actions: func(_ *governor.Event, actions []governor.Action) []governor.Action {
		var out []governor.Action
		for _, a := range actions {
			if a.Kind != governor.SetFrequency {
				out = append(out, a)
				continue
			}
			for _, f := range change(a.Frequency) {
				out = append(out, governor.Action{Kind: governor.SetFrequency, Frequency: f})
			}
		}
		return out
	}}
}

// nth changes the nth of the things that match.
func nth[T any](n int, is func(*T) bool, change func(*T) bool) func(*T) bool {
	return func(x *T) bool {
		if is(x) {
			if n--; n == 0 {
				return change(x)
			}
		}
		return true
	}
}

func sched(kind epochs.Kind) func(*simtest.Event) bool {
	return func(e *simtest.Event) bool { return e.Kind == simtest.Sched && e.Sched.Kind == kind }
}

func kind(k simtest.EventKind) func(*simtest.Event) bool {
	return func(e *simtest.Event) bool { return e.Kind == k }
}

func seen[T any](change func(*T)) func(*T) bool {
	return func(x *T) bool { change(x); return true }
}

func drop[T any](*T) bool { return false }

// breakages are ways to break the rules: the governor's and the machine's.
var breakages = []struct {
	rule, how string
	make      func() *tamper
}{
	{"limits", "asks for what is no state", func() *tamper {
		return onRequest(func(f units.Frequency) []units.Frequency {
			return []units.Frequency{f +
				1}
		})
	}},
	{"limits", "asks twice", func() *tamper {
		return onRequest(func(f units.Frequency) []units.Frequency {
			return []units.Frequency{f,
				f}
		})
	}},
	{"limits", "decides for what is no state",
		func() *tamper { return onDecided(func(q *governor.Quantum) { q.Chosen-- }) }},
	{"dwell", "lowers without a decision", func() *tamper {
		return &tamper{actions: func(ev *governor.Event, a []governor.Action) []governor.Action {
			if ev.Kind == governor.Sched && ev.Sched.Kind == epochs.Tick && len(a) == 0 {
				a = append(a, governor.Action{Kind: governor.SetFrequency, Frequency: 1})
			}
			return a
		}}
	}},
	{"dwell", "asks for another than it decided",
		func() *tamper { return onDecided(func(q *governor.Quantum) { q.Chosen = 0 }) }},
	{"dwell", "decides up and down in one quantum", func() *tamper {
		return &tamper{actions: func(_ *governor.Event, a []governor.Action) []governor.Action {
			if len(a) == 0 || a[0].Kind != governor.Decided {
				return a
			}
			up, down := a[0], a[0]
			up.Quantum.Chosen, down.Quantum.Chosen = 2, 1
			return []governor.Action{up, {Kind: governor.SetFrequency, Frequency: 2}, down,
				{Kind: governor.SetFrequency, Frequency: 1}}
		}}
	}},
	{"quanta", "overlap", func() *tamper {
		return onDecided(func(q *governor.Quantum) { q.Start -= 1000; q.Dur += 1000 })
	}},
	{"quanta", "beside the grid",
		func() *tamper { return onDecided(func(q *governor.Quantum) { q.Dur -= 1000 }) }},
	{"quanta", "from the future",
		func() *tamper { return onDecided(func(q *governor.Quantum) { q.Dur += time.Second }) }},
	{"quanta", "busier than long",
		func() *tamper { return onDecided(func(q *governor.Quantum) { q.Busy = q.Dur + 1 }) }},
	{"epochs", "the governor does not hear of the end", func() *tamper {
		return &tamper{event: func(ev *governor.Event) bool { return ev.Kind != governor.End }}
	}},
	{"holes", "a hole is not reported",
		func() *tamper { return onDecided(func(q *governor.Quantum) { q.Hole = false }) }},
	{"holes", "a hole is not followed by the highest",
		func() *tamper { return onDecided(func(q *governor.Quantum) { q.Chosen = 1 }) }},
	{"holes", "the governor does not hear of lost records", func() *tamper {
		return &tamper{event: func(ev *governor.Event) bool {
			return ev.Kind != governor.Sched ||
				ev.Sched.Kind != epochs.Lost
		}}
	}},
	{"epochs", "one is missing", func() *tamper {
		return &tamper{epoch: nth(3, func(*epochs.Epoch) bool { return true }, drop[epochs.Epoch])}
	}},
	{"epochs", "one is longer", func() *tamper {
		return &tamper{epoch: nth(3, func(*epochs.Epoch) bool { return true },
			seen(func(e *epochs.Epoch) { e.Dur++ }))}
	}},
	{"epochs", "a thread is in it twice", func() *tamper {
		return &tamper{epoch: nth(1, func(e *epochs.Epoch) bool { return len(e.Rows) > 1 },
			seen(func(e *epochs.Epoch) { e.Rows[1].Thread = e.Rows[0].Thread }))}
	}},
	{"own", "pays for what cost nothing",
		func() *tamper { return onDecided(func(q *governor.Quantum) { q.Own++ }) }},
	{"ledger", "slack from nowhere", func() *tamper {
		n := 0
		return onDecided(func(q *governor.Quantum) {
			if n++; n >= 3 {
				q.Slack += 100 * time.Microsecond
			}
		})
	}},
	{"ledger", "a debt forgotten",
		func() *tamper {
			return onDecided(func(q *governor.Quantum) {
				q.Slack = max(q.Slack,
					0)
			})
		}},
	{"restore", "left as it is", func() *tamper { return &tamper{noRestore: true} }},

	{"time", "an event in the past", func() *tamper {
		return &tamper{machine: nth(5, sched(epochs.Off),
			seen(func(e *simtest.Event) { e.Sched.At -= 5_000_000 }))}
	}},
	{"time", "no end", func() *tamper {
		return &tamper{machine: nth(1, kind(simtest.End),
			drop[simtest.Event])}
	}},
	{"time", "a tick that promised too much", func() *tamper {
		return &tamper{machine: nth(1, sched(epochs.Tick),
			seen(func(e *simtest.Event) { e.Sched.At += 3_000_000 }))}
	}},
	{"state", "no record of a thread that stops",
		func() *tamper { return &tamper{machine: nth(5, sched(epochs.Off), drop[simtest.Event])} }},
	{"state", "a CPU that is none", func() *tamper {
		return &tamper{machine: nth(3, sched(epochs.On),
			seen(func(e *simtest.Event) { e.Sched.CPU = 99 }))}
	}},
	{"state", "a CPU that is off", func() *tamper {
		return &tamper{options: func(o *simtest.Options) {
			o.Faults.Outages = append(slices.Clone(o.Faults.Outages),
				hardware.Outage{To: time.Hour, Core: 1})
		}}
	}},
	{"state", "a thread's life does not add up", func() *tamper {
		return &tamper{truth: func(t *simtest.Truth) {
			t.Threads[0].Asleep++
			t.Threads[0].Ready++
		}}
	}},
	{"state", "lost records that no record reports",
		func() *tamper { return &tamper{truth: func(t *simtest.Truth) { t.Lost++ }} }},
	{"slices", "a gap", func() *tamper {
		return &tamper{machine: nth(3, sched(epochs.Slice),
			seen(func(e *simtest.Event) { e.Sched.From++ }))}
	}},
	{"clock", "runs at no state", func() *tamper {
		return &tamper{machine: nth(1, kind(simtest.Clock),
			seen(func(e *simtest.Event) { e.Frequency++ }))}
	}},
	{"clock", "changes though it refuses", func() *tamper {
		return &tamper{machine: nth(2, kind(simtest.Clock),
			seen(func(e *simtest.Event) { e.Refusal = "no" }))}
	}},
	{"clock", "climbs under a cap", func() *tamper {
		always := []hardware.Cap{{From: -time.Hour, To: time.Hour, Max: 1}}
		return &tamper{options: func(o *simtest.Options) { o.Faults.Caps = always }}
	}},
	{"residence", "a change of clock that is not reported",
		func() *tamper {
			return &tamper{machine: nth(2, kind(simtest.Clock),
				drop[simtest.Event])}
		}},
	{"residence", "time at no frequency",
		func() *tamper {
			return &tamper{truth: func(t *simtest.Truth) { t.Frequencies[0].Time -= 1000 }}
		}},
	{"residence", "busy time from nowhere",
		func() *tamper { return &tamper{truth: func(t *simtest.Truth) { t.Idle += 1000 }} }},
	{"wall", "a longer wall",
		func() *tamper { return &tamper{truth: func(t *simtest.Truth) { t.Wall += 10 }} }},
	{"wall", "run time from nowhere", func() *tamper {
		return &tamper{truth: func(t *simtest.Truth) {
			t.Threads[0].Run += time.Millisecond
			t.Threads[0].End += 1_000_000
		}}
	}},
	{"work", "work from nowhere",
		func() *tamper { return &tamper{truth: func(t *simtest.Truth) { t.Work += 1000 }} }},
	{"work", "progress that goes back", func() *tamper {
		return &tamper{truth: func(t *simtest.Truth) {
			if n := len(t.Progress); n > 1 {
				t.Progress[n-2].Energy.CoreStatic += units.Energy(time.Hour)
			}
		}}
	}},
	{"energy", "less than before",
		func() *tamper {
			return &tamper{truth: func(t *simtest.Truth) { t.Energy.UncoreStatic /= 2 }}
		}},
	{"energy", "more than the parts can draw", func() *tamper {
		return &tamper{truth: func(t *simtest.Truth) {
			t.Energy.CoreDynamic += units.Energy(1000 * t.Wall)
		}}
	}},
	{"energy", "accesses that cost nothing",
		func() *tamper { return &tamper{truth: func(t *simtest.Truth) { t.DRAMReads += 1000 }} }},
	{"clock watch", "does not believe a machine that does as it is asked", func() *tamper {
		return &tamper{actions: func(_ *governor.Event, a []governor.Action) []governor.Action {
			return append(a, governor.Action{Kind: governor.Unheeded, Frequency: 1, Reported: 2})
		}}
	}},
	{"clock watch", "repeats another request", func() *tamper {
		return &tamper{actions: func(_ *governor.Event, a []governor.Action) []governor.Action {
			if len(a) > 0 && a[0].Kind == governor.Decided {
				a = append(a, governor.Action{Kind: governor.Insist,
					Frequency: a[0].Quantum.Chosen + 1, By: a[0].Quantum.Chosen})
			}
			return a
		}}
	}},
	{"rapl", "the governor gets twice the energy", func() *tamper {
		return &tamper{reported: func(e units.Energy) units.Energy { return e * 2 }}
	}},
	{"rapl", "a counter that sticks and should not", func() *tamper {
		return &tamper{options: func(o *simtest.Options) { o.Faults.RAPL = nil }}
	}},
}

// TestWhatIsBrokenOnPurposeIsFound: each deliberate fault is found by the rule that it breaks, in
// some of the first seeds.
func TestWhatIsBrokenOnPurposeIsFound(t *testing.T) {
	const seeds = 150
	for _, b := range breakages {
		found := 0
		for seed := uint64(1); seed <= seeds && found < 2; seed++ {
			c := Draw(seed)
			r, err := run(&c, b.make())
			if err != nil {
				t.Fatal(err)
			}
			if slices.ContainsFunc(r.Broken,
				func(x Broken) bool { return x.Rule == b.rule }) {
				found++
			}
		}
		if found < 2 {
			t.Errorf("%s: %s: found %d times in %d runs", b.rule, b.how, found, seeds)
		}
	}
}

// TestEndlessProgramIsFound: the campaign reports a program that does not end.
func TestEndlessProgramIsFound(t *testing.T) {
	c := Draw(1)
	c.Options.Faults, c.Stop = hardware.FaultPlan{}, 0
	mix := simtest.Mix{Name: "endless", CPI: 1}
	c.Workload = simtest.Workload{Name: "endless", Threads: 1, Build: func(b *simtest.Builder) {
		b.Thread("endless", simtest.App, func(t *simtest.Thread) {
			for {
				t.Run(&mix, 1e12)
			}
		})
	}}
	r, err := Run(&c)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(r.Broken, func(b Broken) bool { return b.Rule == "progress" }) {
		t.Errorf("%v: found %v", &c, r.Broken)
	}
}

// TestReplayFindsADivergence: the replay finds a governor that does not repeat its actions.
func TestReplayFindsADivergence(t *testing.T) {
	c := Draw(3)
	r, err := run(&c, onDecided(func(q *governor.Quantum) { q.Epochs++ }))
	if err != nil {
		t.Fatal(err)
	}
	if err := replayed(r); err == nil {
		t.Errorf("%v: a recording of other decisions replays", &c)
	}
}

// TestSeedDecidesTheCase: a seed gives the same case each time, and seeds give different ones.
func TestSeedDecidesTheCase(t *testing.T) {
	names := make(map[string]bool)
	for seed := range uint64(200) {
		a, b := Draw(seed), Draw(seed)
		if a.String() != b.String() || fmt.Sprint(a.Options) != fmt.Sprint(b.Options) {
			t.Errorf("seed %d is %v, and %v", seed, &a, &b)
		}
		names[a.String()] = true
	}
	if len(names) < 195 {
		t.Errorf("200 seeds make %d cases", len(names))
	}
}
