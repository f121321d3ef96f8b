package report

import (
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/units"
)

// tenantsRun is a run of two tenants: one that comes twice and is held above its wish, and one that
// never comes.
func tenantsRun(t *testing.T) *Report {
	t.Helper()
	r := &Report{Actuator: "shadow", Tenants: &Tenants{File: "t.toml", Rest: "highest",
		List: []Tenant{{Name: "first", Objective: "slowdown", SlowdownBudget: 0.05},
			{Name: strings.Repeat("long", 16), Objective: "fixed"}}}}
	o := NewTenantObserver(r, 4e9)
	const ms = units.Instant(time.Millisecond)
	o.Began(10 * ms)
	event := func(kind governor.EventKind, at units.Instant) {
		o.Observe(&governor.Event{Kind: kind, At: at, Tenant: 1, Displaced: 3, Traced: 2}, nil)
	}
	quantum := func(effective, chosen units.Frequency, busy time.Duration) {
		q := governor.Quantum{
			Measured: governor.Measured{Dur: 5 * time.Millisecond, Busy: busy,
				Hole: effective == 1e9},
			Clock: governor.Clock{Effective: effective}, Choice: governor.Choice{Chosen: chosen}}
		o.Observe(&governor.Event{}, []governor.Action{{Kind: governor.Decided, Tenant: 1,
			Quantum: q}})
	}
	event(governor.Begin, 20*ms)
	quantum(4e9, 2e9, 4*time.Millisecond)
	quantum(4e9, 3e9, time.Millisecond) // held: it wished for 2 GHz
	event(governor.Overhead, 30*ms)
	event(governor.End, 40*ms)
	event(governor.Begin, 60*ms)
	quantum(1e9, 0, 5*time.Millisecond) // another's governor began anew: it wishes for the highest
	event(governor.Overhead, 65*ms)
	event(governor.End, 70*ms)
	o.Observe(&governor.Event{Kind: governor.Applied, At: 80 * ms, Refusal: "no"}, nil)
	o.Observe(&governor.Event{Kind: governor.Applied, At: 110 * ms, Refusal: "no"}, nil)
	o.Finish()
	return r
}

func TestTenantObserver(t *testing.T) {
	r := tenantsRun(t)
	ms := int64(time.Millisecond)
	if r.WallNS != 100*ms || r.Decisions != 2 || r.HoleQuanta != 1 || len(r.Refusals) != 1 {
		t.Errorf("wall %d, %d decisions, %d holes, refusals %v", r.WallNS, r.Decisions,
			r.HoleQuanta, r.Refusals)
	}
	got := r.Tenants.List[0]
	want := Tenant{Name: "first", Objective: "slowdown", SlowdownBudget: 0.05, Begins: 2, Ends: 2,
		PresentNS: 30 * ms, BusyNS: 10 * ms, Decisions: 2, HoleQuanta: 1, DisplacedNS: 6,
		TracedNS: 4, WishedHz: 38e8, GotHz: 25e8, HeldNS: ms}
	if got != want {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	if none := r.Tenants.List[1]; none.Begins != 0 || none.WishedHz != 0 {
		t.Errorf("of one that never came: %+v", none)
	}
}

// TestTenantsText: lines of 80 columns, no joules where none are known, and the strictest where
// they are.
func TestTenantsText(t *testing.T) {
	r := tenantsRun(t)
	text := func() string {
		var b strings.Builder
		r.WriteSummary(&b)
		return b.String()
	}
	said := text()
	for _, w := range []string{"2 tenants of t.toml for 100 ms, shadow mode", "5.0 %", "3.80 GHz",
		"2.50 GHz", "10.0 %", "came 2 times", "it never came", "refused     no", "longlonglongl…"} {
		if !strings.Contains(said, w) {
			t.Errorf("%q is not in\n%s", w, said)
		}
	}
	var table strings.Builder
	r.WriteTenants(&table, 1)
	if !strings.Contains(table.String(), "and 1 more") {
		t.Errorf("one of two:\n%s", &table)
	}
	r.WriteTenants(&table, 0)
	for line := range strings.Lines(table.String()) {
		if n := len([]rune(strings.TrimRight(line, "\n"))); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if strings.Contains(said, " J") {
		t.Errorf("joules of nothing:\n%s", said)
	}
	all, imposed, other, none := int64(9e9), int64(2e9), int64(7e9), int64(0)
	r.Tenants.MeasuredNJ, r.Tenants.ImposedNJ, r.Tenants.OtherNJ = &all, &imposed, &other
	r.Tenants.List[0].BorneNJ, r.Tenants.List[0].CausedNJ = &imposed, &none
	r.Tenants.List[1].BorneNJ, r.Tenants.List[1].CausedNJ = &none, &imposed
	said = text()
	for _, w := range []string{"9 J by the meters", "2 J of it by others' wishes, 2 J by long"} {
		if !strings.Contains(said, w) {
			t.Errorf("%q is not in\n%s", w, said)
		}
	}
	for rest, w := range map[string]string{"background": "at the tenants' clock",
		"system-energy": "least energy"} {
		if r.Tenants.Rest = rest; !strings.Contains(text(), w) {
			t.Errorf("%s: %q is not in\n%s", rest, w, text())
		}
	}
}
