package report

import (
	"encoding/json"
	"fmt"
	"math"
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
		q.Max, q.Own = 5e6, 400*time.Microsecond
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
	if own := got.SlowdownOwn; own == nil || math.Abs(*own-0.4/4.6) > 1e-9 {
		t.Errorf("by ebb: %v, want %v", own, 0.4/4.6)
	}
	got.SlowdownOwn = nil
	want := Tenant{Name: "first", Objective: "slowdown", SlowdownBudget: 0.05, Begins: 2, Ends: 2,
		PresentNS: 30 * ms, BusyNS: 10 * ms, Decisions: 2, HoleQuanta: 1, DisplacedNS: 6,
		TracedNS: 4, WishedHz: 38e8, GotHz: 25e8, HeldNS: ms}
	if got != want {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	if none := r.Tenants.List[1]; none.Begins != 0 || none.WishedHz != 0 ||
		none.SlowdownOwn != nil {
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
		"2.50 GHz", "10.0 %", "came 2 times", "ebb cost it 8.7 %", "it never came",
		"refused     no", "long"} {
		if !strings.Contains(said, w) {
			t.Errorf("%q is not in\n%s", w, said)
		}
	}
	var table strings.Builder
	r.writeTenants(&table, 1)
	if !strings.Contains(table.String(), "and 1 more") {
		t.Errorf("one of two:\n%s", &table)
	}
	r.writeTenants(&table, 0)
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

// TestTenantsOwnCost: where ebb costs a tenant more than its budget, a warning says so.
func TestTenantsOwnCost(t *testing.T) {
	r := tenantsRun(t)
	own, small := 0.06, 0.01
	r.WallNS = int64(time.Minute)
	for i := range 5 {
		r.Tenants.List = append(r.Tenants.List, Tenant{Name: fmt.Sprint("t", i),
			Objective: "slowdown", SlowdownBudget: 0.05, SlowdownOwn: &own})
	}
	r.Tenants.List[0].SlowdownOwn = &small
	r.Tenants.List[1].SlowdownOwn = &own // it has no budget
	r.Tenants.warnOfOwn(r)
	want := "t0 6.0 % of 5.0 %, t1 6.0 % of 5.0 %, t2 6.0 % of 5.0 % and 2 more"
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], want) {
		t.Errorf("warnings %q, want one with %q", r.Warnings, want)
	}
	r.Warnings, r.Tenants.List = nil, r.Tenants.List[:1]
	if r.Tenants.warnOfOwn(r); len(r.Warnings) != 0 {
		t.Errorf("within the budget: %q", r.Warnings)
	}
}

// TestAbsentTenants: those that came have the first rows, and thousands that never came one line.
func TestAbsentTenants(t *testing.T) {
	r := tenantsRun(t)
	ran := r.Tenants.List[0]
	r.Tenants.List = nil
	for i := range 4096 {
		r.Tenants.List = append(r.Tenants.List,
			Tenant{Name: fmt.Sprint("t", i), Objective: "fixed"})
	}
	r.Tenants.List[4000] = ran
	var b strings.Builder
	r.writeTenants(&b, 0)
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	if len(lines) != 4 || !strings.Contains(lines[1], "first") ||
		!strings.Contains(lines[3], "4,095 tenants never came") &&
			!strings.Contains(lines[3], "4095 tenants never came") {
		t.Errorf("%d lines:\n%.2000s", len(lines), &b)
	}
}

// TestTenantsFigures: of several reports there are figures by tenant, and none of a program that is
// not known; the report itself has null there.
func TestTenantsFigures(t *testing.T) {
	r := tenantsRun(t)
	for _, f := range r.Figures() {
		if f.Unit == "%" {
			t.Errorf("a run of %v has %+v", time.Duration(r.WallNS), f)
		}
	}
	r.WallNS = int64(time.Minute)
	names := ""
	for _, f := range r.Figures() {
		names += f.Name + "\n"
	}
	for _, w := range []string{"first, slower by the clock", "first, slower by ebb",
		"first, CPU time"} {
		if !strings.Contains(names, w) {
			t.Errorf("no %q in\n%s", w, names)
		}
	}
	if strings.Contains(names, "slower, clock and ebb") || strings.Contains(names, "long") {
		t.Errorf("figures of what did not run:\n%s", names)
	}
	r.WallNS = max(r.WallNS, 1e9)
	for _, alone := range []bool{false, true} {
		if alone {
			r.Tenants = nil
		}
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"slowdown_predicted", "slowdown_own", "slowdown_total"} {
			if v, there := got[key]; !there || (v == nil) == alone {
				t.Errorf("%s is %v, %t; of one program: %t", key, v, there, alone)
			}
		}
		back, err := Decode(text)
		if err != nil || back.WallNS != r.WallNS || (back.Tenants == nil) != alone {
			t.Errorf("read back: %v, %+v", err, back)
		}
	}
}
