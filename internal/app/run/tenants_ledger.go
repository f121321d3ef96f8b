package run

import (
	"context"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/governor/many"
	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/rapl"
)

// tenantLedger adds up the events and decisions of the tenants' governors.
type tenantLedger struct {
	passive
	run    *Run
	all    *several
	meters *meters
	sums   *report.TenantObserver
}

func (l *tenantLedger) start(argv []string) ([]string, error) {
	l.sums.Began(monotonic.Now())
	return argv, nil
}

func (l *tenantLedger) observer() governor.Observer { return l.sums }

func (l *tenantLedger) finish(_ context.Context, r *report.Report) error {
	l.sums.Finish()
	for i := range r.Tenants.List {
		t, n := &r.Tenants.List[i], arbiter.Tenant(i+1)
		if err := l.all.cores.Failed(n); err != nil {
			t.Failed = err.Error()
		}
		fillSlowdowns(t, l.all.cores.Slowdowns(n))
	}
	l.addTimes(r)
	l.addEnergy(r)
	for _, s := range l.all.host.Doubts() {
		warn(r, s)
	}
	return nil
}

func fillSlowdowns(t *report.Tenant, s *many.Slowdowns) {
	of := func(a many.Account) float64 {
		lost, _ := a.Slowdown()
		return float64(lost)
	}
	worst := func(w *many.Window) *float64 {
		if !w.Full {
			return nil
		}
		x := float64(w.Worst)
		return &x
	}
	t.Slowdown, t.SlowdownShort, t.SlowdownLong = of(s.Run), of(s.Short.Now()), of(s.Long.Now())
	t.WorstShort, t.WorstLong = worst(&s.Short), worst(&s.Long)
}

// addTimes adds the threads, and the CPU time of each tenant.
func (l *tenantLedger) addTimes(r *report.Report) {
	threads, err := l.run.computer.Threads()
	if err != nil {
		warn(r, "totals of the living threads: "+err.Error())
	}
	for _, t := range threads {
		if i := int(t.Tenant) - 1; i >= 0 && i < len(r.Tenants.List) {
			of := &r.Tenants.List[i]
			of.CPUNS += int64(t.KernelRun)
			of.TracedCPUNS += int64(t.Run)
			of.Threads++
		}
	}
	r.Threads = reported(threads, l.all.name)
	rest, err := l.all.host.Foreign()
	if err != nil {
		warn(r, err.Error())
	}
	r.Tenants.RestCPUNS = int64(rest)
}

// addEnergy adds the meters' energy. It adds the imposed part where a model of this machine's power
// was stated and the clocks were set.
func (l *tenantLedger) addEnergy(r *report.Report) {
	e, out := l.all.cores.Energy(), r.Tenants
	if e.Measured == 0 { // the governors learn nothing from a meter where they set no clock
		pkg, _, dram, _ := rapl.Sums(l.meters.read)
		e.Measured = pkg + dram
		e.Rest = e.Measured - e.Imposed
	}
	measured := l.meters.counted() && e.Measured > 0
	if measured {
		nj := int64(e.Measured)
		out.MeasuredNJ = &nj
	}
	switch {
	case !measured:
		out.ImposedNote = "no meter of the processors measured"
	case l.run.actuator.Name() == cpufreq.Shadow:
		out.ImposedNote = "no clock was set, so none was imposed"
	case !l.run.named():
		out.ImposedNote = "no power model of this machine was stated"
	default:
		imposed, other := int64(e.Imposed), int64(e.Rest)
		out.ImposedNJ, out.OtherNJ = &imposed, &other
		for i := range e.Tenants[:len(out.List)] {
			borne, caused := int64(e.Tenants[i].Borne), int64(e.Tenants[i].Caused)
			out.List[i].BorneNJ, out.List[i].CausedNJ = &borne, &caused
		}
	}
}
