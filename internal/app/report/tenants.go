package report

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/units"
)

// ObjectiveTenants is the objective of a run with several tenants: each has its own.
const ObjectiveTenants = "tenants"

// Tenants has the results of the tenants of a run.
type Tenants struct {
	File string `json:"file"`
	// Rest is the clock for programs that are no tenant's. RestCPUNS is their CPU time.
	Rest      string `json:"rest"`
	RestCPUNS int64  `json:"rest_cpu_ns"`
	// MeasuredNJ is the energy by the machine's meters while there were tenants. ImposedNJ is the
	// part that the tenants' work drew at clocks which others had wished for, beyond what it would
	// have drawn at their own, by the stated power model. OtherNJ is the rest. They are null where
	// that is not known, and then ImposedNote says why.
	MeasuredNJ  *int64   `json:"measured_nj"`
	ImposedNJ   *int64   `json:"imposed_nj"`
	OtherNJ     *int64   `json:"other_nj"`
	ImposedNote string   `json:"imposed_note,omitempty"`
	List        []Tenant `json:"list"` // tenants in the order of the file
}

// Tenant has the results of one tenant.
type Tenant struct {
	Name   string `json:"name"`
	Unit   string `json:"unit,omitempty"`
	Cgroup string `json:"cgroup,omitempty"` // path in the hierarchy
	PID    int    `json:"pid,omitempty"`

	Objective      string  `json:"objective"`       // as the report's; "fixed": the highest clock
	SlowdownBudget float64 `json:"slowdown_budget"` // for objective "slowdown"; 0 with others

	// Begins is the number of times that it came; it comes again after it had no process any more.
	// PresentNS is the time from its begins to its ends, and BusyNS the part in which a thread of
	// it ran. CPUNS is the CPU time of all its threads by the scheduler's count, and TracedCPUNS
	// the part that ebb saw.
	Begins      int   `json:"begins"`
	Ends        int   `json:"ends"` // number of its ends, with the run's end, where it was there
	PresentNS   int64 `json:"present_ns"`
	BusyNS      int64 `json:"busy_ns"`
	CPUNS       int64 `json:"cpu_ns"`
	TracedCPUNS int64 `json:"traced_cpu_ns"`
	Threads     int   `json:"threads"`

	Decisions   int64  `json:"decisions"`
	HoleQuanta  int    `json:"hole_quanta"`
	StaleQuanta int    `json:"stale_quanta"`
	Failed      string `json:"failed,omitempty"` // why its governor ended; it ran at the highest

	// The slowdowns are by the clock, against always-highest: over the run, and over the windows
	// that end with its last quantum. WorstShort and WorstLong are the worst whole windows, null
	// without one.
	Slowdown      float64  `json:"slowdown_predicted"`
	SlowdownShort float64  `json:"slowdown_10s"`
	SlowdownLong  float64  `json:"slowdown_5min"`
	WorstShort    *float64 `json:"slowdown_10s_worst"`
	WorstLong     *float64 `json:"slowdown_5min_worst"`
	// SlowdownOwn is its slowdown by ebb itself, which the budget covers as well; null where it did
	// not run. DisplacedNS and TracedNS are its parts of ebb's cost to all tenants.
	SlowdownOwn *float64 `json:"slowdown_own"`
	DisplacedNS int64    `json:"displaced_ns"`
	TracedNS    int64    `json:"traced_ns"`

	// WishedHz is the mean clock that it wished for while it ran. GotHz is the mean of the requests
	// to the machine at that time; in shadow mode, would have been. HeldNS is the part of BusyNS
	// with a clock above its wish.
	WishedHz int64 `json:"wished_freq_hz"`
	GotHz    int64 `json:"got_freq_hz"`
	HeldNS   int64 `json:"held_ns"`

	// BorneNJ is the part of ImposedNJ that it bore, and CausedNJ the part that its wishes caused;
	// null as ImposedNJ is.
	BorneNJ  *int64 `json:"imposed_borne_nj"`
	CausedNJ *int64 `json:"imposed_caused_nj"`
}

// MarshalJSON implements json.Marshaler. The slowdowns of one program are null where there are
// several tenants, each with its own, and where the run is too short to say.
func (r *Report) MarshalJSON() ([]byte, error) {
	type plain Report // without this method
	if r.Tenants == nil && !r.TooShort() {
		return json.Marshal((*plain)(r))
	}
	return json.Marshal(struct {
		*plain
		Predicted *float64 `json:"slowdown_predicted"`
		Own       *float64 `json:"slowdown_own"`
		Total     *float64 `json:"slowdown_total"`
	}{plain: (*plain)(r)})
}

// TenantObserver is a governor.Observer that adds up the results of tenants. It keeps sums alone,
// so a run of months takes no more memory than one of seconds.
type TenantObserver struct {
	r       *Report
	highest units.Frequency
	sums    []tenantSums // sums of each tenant, by its number less one
	begin   units.Instant
	end     units.Instant
	refused map[string]bool
}

// tenantSums are the sums of a tenant.
type tenantSums struct {
	began  units.Instant // time of its begin; 0: it is not there
	wish   units.Frequency
	busy   float64 // ns
	wished float64 // Hz times ns
	got    float64
	max    float64          // time at the highest clock, ns
	own    float64          // ebb's part of max, ns
	had    [2]time.Duration // ebb's cost to it before it came again: displaced and traced
	cost   [2]time.Duration // ebb's cost since: displaced and traced
}

// mostRefused bounds the refusals that are kept.
const mostRefused = 100

// NewTenantObserver fills the list of r.Tenants while the run goes on. highest is the highest
// state.
func NewTenantObserver(r *Report, highest units.Frequency) *TenantObserver {
	return &TenantObserver{r: r, highest: highest, sums: make([]tenantSums, len(r.Tenants.List)),
		refused: map[string]bool{}}
}

// Began sets the begin of the run, before any tenant may be there.
func (o *TenantObserver) Began(at units.Instant) { o.begin, o.end = at, at }

// Observe implements governor.Observer.
func (o *TenantObserver) Observe(ev *governor.Event, actions []governor.Action) {
	at := max(ev.At, ev.Sched.At)
	o.end = max(o.end, at)
	if i := int(ev.Tenant) - 1; i >= 0 && i < len(o.sums) {
		o.of(&o.sums[i], &o.r.Tenants.List[i], ev)
	} else if ev.Kind == governor.Applied && ev.Refusal != "" && len(o.refused) < mostRefused &&
		!o.refused[ev.Refusal] {
		o.refused[ev.Refusal] = true
		o.r.Refusals = append(o.r.Refusals, ev.Refusal)
	}
	for k := range actions {
		a := &actions[k]
		if i := int(a.Tenant) - 1; a.Kind == governor.Decided && i >= 0 && i < len(o.sums) {
			o.decided(&o.sums[i], &o.r.Tenants.List[i], &a.Quantum)
		}
	}
}

// of takes an event of a tenant's own.
func (o *TenantObserver) of(s *tenantSums, t *Tenant, ev *governor.Event) {
	switch ev.Kind {
	case governor.Begin:
		t.Begins++
		s.began, s.wish = ev.At, o.highest
	case governor.End:
		t.Ends++
		t.PresentNS += int64(ev.At - s.began)
		s.began = 0
		s.had[0], s.had[1] = s.had[0]+s.cost[0], s.had[1]+s.cost[1]
		s.cost = [2]time.Duration{}
	case governor.Overhead:
		s.cost = [2]time.Duration{ev.Displaced, ev.Traced}
	}
	t.DisplacedNS, t.TracedNS = int64(s.had[0]+s.cost[0]), int64(s.had[1]+s.cost[1])
}

// decided adds a quantum, for which the wish is that of the decision before.
func (o *TenantObserver) decided(s *tenantSums, t *Tenant, q *governor.Quantum) {
	r := o.r
	r.LostRecords += q.Lost
	r.ProfiledNS += int64(q.Dur)
	t.BusyNS += int64(q.Busy)
	if q.Hole {
		t.HoleQuanta++
		r.HoleQuanta++
	}
	if q.Stale {
		t.StaleQuanta++
		r.StaleQuanta++
	}
	busy := float64(q.Busy)
	s.busy += busy
	s.own += float64(q.Own)
	if s.max += q.Max; q.AtHighest != 0 { // durations by which the budget is kept
		s.max += q.AtHighest - q.Max
	}
	s.wished += float64(s.wish) * busy
	s.got += float64(q.Effective) * busy
	if q.Effective > s.wish {
		t.HeldNS += int64(q.Busy)
	}
	if q.Chosen > 0 {
		t.Decisions++
		r.Decisions++
		s.wish = q.Chosen
	}
}

// Finish completes the list once the run has ended.
func (o *TenantObserver) Finish() {
	o.r.StartedNS, o.r.WallNS = int64(o.begin), int64(o.end-o.begin)
	for i := range o.sums {
		s, t := &o.sums[i], &o.r.Tenants.List[i]
		if s.busy > 0 {
			t.WishedHz, t.GotHz = int64(s.wished/s.busy), int64(s.got/s.busy)
		}
		if without := s.max - s.own; without > 0 {
			own := s.max/without - 1
			t.SlowdownOwn = &own
		}
	}
	o.r.Tenants.warnOfOwn(o.r)
}

// mostNamed is the number of tenants that a warning names.
const mostNamed = 3

// warnOfOwn warns where ebb itself costs tenants more than their budgets. These budgets then give
// no reason for a low clock.
func (t *Tenants) warnOfOwn(r *Report) {
	var over []string
	for i := range t.List {
		x := &t.List[i]
		if x.Objective == "slowdown" && x.SlowdownOwn != nil && *x.SlowdownOwn > x.SlowdownBudget {
			over = append(over, fmt.Sprintf("%s %s of %s", x.Name,
				printable.Percent(*x.SlowdownOwn), printable.Percent(x.SlowdownBudget)))
		}
	}
	if len(over) == 0 || r.TooShort() {
		return
	}
	more := ""
	if rest := len(over) - mostNamed; rest > 0 {
		more = fmt.Sprintf(" and %d more", rest)
	}
	r.Warnings = append(r.Warnings, fmt.Sprintf("ebb itself cost more than the budget, which "+
		"therefore allows no lower clock: %s%s",
		strings.Join(over[:min(len(over), mostNamed)], ", "), more))
}
