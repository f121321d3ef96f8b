package run

import (
	"context"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/governor/many"
	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/app/run/meters"
	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/rapl"
)

// tenantTally adds up the events and decisions of the tenants' governors.
type tenantTally struct {
	part.Passive
	run    *run
	all    *several
	meters *meters.Meters
	sums   *report.TenantObserver
}

func (t *tenantTally) Start(argv []string) ([]string, error) {
	t.sums.Began(monotonic.Now())
	return argv, nil
}

func (t *tenantTally) Observer() governor.Observer { return t.sums }

func (t *tenantTally) Finish(_ context.Context, r *report.Report) error {
	t.sums.Finish()
	for i := range r.Tenants.List {
		tenant, n := &r.Tenants.List[i], arbiter.Tenant(i+1)
		if err := t.all.cores.Failed(n); err != nil {
			tenant.Failed = err.Error()
		}
		fillSlowdowns(tenant, t.all.cores.Slowdowns(n))
	}
	t.addTimes(r)
	t.addEnergy(r)
	for _, s := range t.all.host.Doubts() {
		part.Warn(r, s)
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
func (t *tenantTally) addTimes(r *report.Report) {
	threads, err := t.run.Computer.Threads()
	if err != nil {
		part.Warn(r, "totals of the living threads: "+err.Error())
	}
	for _, thread := range threads {
		if i := int(thread.Tenant) - 1; i >= 0 && i < len(r.Tenants.List) {
			of := &r.Tenants.List[i]
			of.CPUNS += int64(thread.KernelRun)
			of.TracedCPUNS += int64(thread.Run)
			of.Threads++
		}
	}
	r.Threads = reported(threads, t.all.name)
	rest, err := t.all.host.Foreign()
	if err != nil {
		part.Warn(r, err.Error())
	}
	r.Tenants.RestCPUNS = int64(rest)
}

// addEnergy adds the meters' energy. It adds the imposed part where a model of this machine's power
// was stated and the clocks were set.
func (t *tenantTally) addEnergy(r *report.Report) {
	e, out := t.all.cores.Energy(), r.Tenants
	if e.Measured == 0 { // the governors learn nothing from a meter where they set no clock
		read, _ := t.meters.Newest()
		pkg, _, dram, _ := rapl.Sums(read)
		e.Measured = pkg + dram
		e.Rest = e.Measured - e.Imposed
	}
	measured := t.meters.Counted() && e.Measured > 0
	if measured {
		nj := int64(e.Measured)
		out.MeasuredNJ = &nj
	}
	switch {
	case !measured:
		out.ImposedNote = "no meter of the processors measured"
	case t.run.Actuator.Name() == cpufreq.Shadow:
		out.ImposedNote = "no clock was set, so none was imposed"
	case !t.run.Settings.Named():
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
