package energy

import (
	"testing"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// TestOwn divides ebb's own time over CPUs by what others had there, to the ns, and lets the
// others have at least what ebb had.
func TestOwn(t *testing.T) {
	for name, tc := range map[string]struct {
		own    time.Duration
		others []Other
		want   []Other
	}{
		"within the others' time": {3 * ms,
			[]Other{{CPU: 0, Time: 10 * ms}, {CPU: 1, Time: 20 * ms}},
			[]Other{{CPU: 0, Time: 10 * ms, Own: 1 * ms}, {CPU: 1, Time: 20 * ms, Own: 2 * ms}}},
		"no tick of the kernel's clock fell on it": {3 * ms, nil,
			[]Other{{CPU: 0, Time: 1500 * time.Microsecond, Own: 1500 * time.Microsecond},
				{CPU: 1, Time: 1500 * time.Microsecond, Own: 1500 * time.Microsecond}}},
		"more than the others had": {7 * ms, []Other{{CPU: 1, Time: 3 * ms}},
			[]Other{{CPU: 1, Time: 5 * ms, Own: 5 * ms}, {CPU: 0, Time: 2 * ms, Own: 2 * ms}}},
		"none": {0, []Other{{CPU: 1, Time: 3 * ms}}, []Other{{CPU: 1, Time: 3 * ms}}},
	} {
		w := Window{To: units.Instant(100 * ms), Others: tc.others}
		w.Own(tc.own, []CPU{0, 1})
		if len(w.Others) != len(tc.want) {
			t.Errorf("%s: %+v", name, w.Others)
			continue
		}
		for i := range tc.want {
			if w.Others[i] != tc.want[i] {
				t.Errorf("%s: %+v, want %+v", name, w.Others, tc.want)
			}
		}
	}
}

// TestOwnEnergy: ebb's part of the others' energy is by its time, in each rule that knows others,
// and the sums stay.
func TestOwnEnergy(t *testing.T) {
	for _, name := range RuleNames {
		rule, err := NewRule(name, RuleConfig{})
		if err != nil {
			t.Fatal(err)
		}
		l := New([]Zone{{Name: "package-0", CPUs: []CPU{0, 1}}}, rule, 10*ms)
		w := Window{To: units.Instant(100 * ms), Used: []units.Energy{1000},
			Runs:   []Run{{Thread: 7, CPU: 0, Alone: 60 * ms, Probed: true}},
			Others: []Other{{CPU: 1, Time: 40 * ms}}}
		w.Own(10*ms, []CPU{0, 1})
		if err := l.Book(&w); err != nil {
			t.Fatal(err)
		}
		l.Finish()
		if err := l.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		// Of 100 ms of CPU time others had 40 and ebb a quarter of these.
		if got := l.Totals()[0]; got.Own != got.Others/4 || name == "ledger" && got.Own != 100 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
