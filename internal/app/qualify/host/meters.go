package host

import (
	"context"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/cpufreq/settle"
	"github.com/ebb-energy/ebb/internal/app/qualify"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/internal/power/activity"
	"github.com/ebb-energy/ebb/internal/power/wattmeter"
)

// reading is the power of the processor's meter over a stretch of a step of load.
type reading struct {
	begin, end float64 // begin and end, s since 1970
	load       int     // index of the step
	busy       float64 // share of all CPUs' time
	watts      float64
	known      bool
}

// readings is the number of stretches of a step of load.
const readings = 10

// meters makes step 4: steps of load, from none to all CPUs, while all meters are read.
func (h *host) meters(ctx context.Context, step *qualify.Step) error {
	own, err := openRAPL(h.fs)
	if err != nil {
		miss(step, "RAPL", err)
	} else {
		defer own.close() // it was only read
	}
	others := h.sensors(step)
	if own == nil && len(others) == 0 {
		return nothing(step)
	}
	for _, s := range others {
		if s.close != nil {
			defer s.close() // it was only read
		}
	}
	proc, err := sysfs.Open(h.Proc)
	if err != nil {
		return err
	}
	defer proc.Close()
	found, load, err := h.underLoad(ctx, proc, own, others)
	if err != nil {
		return err
	}
	m := &qualify.Meters{Meters: []qualify.Meter{}, Against: []qualify.Compared{}}
	if own != nil {
		x := meterOf(found, func(i int) (float64, bool) { return found[i].watts, found[i].known })
		x.Name, x.Scope = "RAPL", ofPackage
		least, period := own.grain()
		x.StepJ, x.PeriodNS = least, int64(period)
		m.Meters = append(m.Meters, x)
	}
	for _, s := range others {
		if s.read == nil {
			h.Say("   reads the log of the other meter")
			if s.readings, err = h.logged(ctx, found[0].begin,
				found[len(found)-1].end); err != nil {
				miss(step, s.name, err)
				continue
			}
		}
		m.Meters = append(m.Meters, gaugedBy(s, found, load))
	}
	m.Against = qualify.CompareMeters(m.Meters)
	step.Meters = m
	return nil
}

// nothing returns an error that says that there is no meter at all.
func nothing(step *qualify.Step) error {
	var all []string
	for _, m := range step.Missing {
		all = append(all, m.What+": "+m.Because)
	}
	gone := step.Missing[0].Absence
	step.Missing = []qualify.Missing{}
	return lacks(gone, "%s", strings.Join(all, "; "))
}

// underLoad goes through the steps of load.
func (h *host) underLoad(ctx context.Context, proc *sysfs.FS, own *processorMeter, others []*gauge,
) (found []reading, load []wattmeter.Load, err error) {
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		load = sample(others, proc, stop)
	}()
	defer func() {
		close(stop)
		<-done
	}()
	for i := range qualify.LoadSteps {
		share := float64(i) / float64(qualify.LoadSteps-1)
		h.Say("   %.0f %% of all CPUs for %v", 100*share, h.Plan.Load())
		got, err := h.loaded(ctx, proc, own, i, share)
		if err != nil {
			return nil, nil, err
		}
		found = append(found, got...)
	}
	return found, load, nil
}

// loaded keeps all CPUs busy for a share of the time, and reads the meter meanwhile.
func (h *host) loaded(ctx context.Context, proc *sysfs.FS, own *processorMeter, load int,
	share float64,
) (out []reading, err error) {
	stop := make(chan struct{})
	defer close(stop)
	if share > 0 {
		for _, cpu := range h.cpus.CPUs() {
			go turns(cpu, share, stop)
		}
	}
	each := h.Plan.Load() / (readings + 1)
	if err := h.pause(ctx, each); err != nil { // the load's begin belongs to neither step
		return nil, err
	}
	before, err := busy(proc)
	if err != nil {
		return nil, err
	}
	begin, cpus := now(), float64(len(h.cpus.CPUs()))
	if own != nil {
		own.cut(monotonic.Now())
	}
	for range readings {
		if err := h.pause(ctx, each); err != nil {
			return nil, err
		}
		after, err := busy(proc)
		if err != nil {
			return nil, err
		}
		r := reading{begin: begin, end: now(), load: load}
		r.busy = (after - before).Seconds() / (r.end - r.begin) / cpus
		if own != nil {
			r.watts, r.known = own.cut(monotonic.Now())
		}
		out = append(out, r)
		before, begin = after, r.end
	}
	return out, nil
}

// busy returns the CPU time of all CPUs so far.
func busy(proc *sysfs.FS) (time.Duration, error) {
	text, err := proc.ReadStart("stat", 1<<20)
	if err != nil {
		return 0, err
	}
	s, err := activity.ParseStat(text)
	if err != nil {
		return 0, err
	}
	return s.Busy(), nil
}

// turn is the length of a turn of work and sleep.
const turn = 20 * time.Millisecond

// turns keeps a CPU busy for a share of the time.
func turns(cpu sysfs.CPU, share float64, stop <-chan struct{}) {
	for {
		end := make(chan struct{})
		t := time.AfterFunc(time.Duration(share*float64(turn)), func() { close(end) })
		err := settle.Spin(cpu, end)
		t.Stop()
		if err != nil || wait(stop, time.Duration((1-share)*float64(turn))) {
			return
		}
	}
}

// meterOf sums up the power of a meter over each stretch.
func meterOf(found []reading, shows func(i int) (watts float64, known bool)) (m qualify.Meter) {
	first, some := 0.0, false
	var sums [qualify.LoadSteps]qualify.Load
	m.Frozen, m.Loads = true, []qualify.Load{}
	for i, r := range found {
		w, known := shows(i)
		if !known {
			continue
		}
		if !some {
			first, some = w, true
		}
		l := &sums[r.load]
		l.Busy, l.Power, l.N = l.Busy+r.busy, l.Power+w, l.N+1
		m.Frozen = m.Frozen && w == first
	}
	// Steps' means are correlated: the kernel counts busy time in ticks, which are long beside a
	// stretch.
	var x, y []float64
	for _, l := range sums {
		if n := float64(l.N); n > 0 {
			m.Loads = append(m.Loads, qualify.Load{Busy: l.Busy / n, Power: l.Power / n, N: l.N})
			x, y = append(x, l.Busy/n), append(y, l.Power/n)
		}
	}
	m.Follows = wattmeter.Correlation(x, y)
	return m
}
