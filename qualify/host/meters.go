package host

import (
	"context"
	"time"

	"github.com/ebb-energy/ebb/activity"
	"github.com/ebb-energy/ebb/cpufreq/settle"
	"github.com/ebb-energy/ebb/internal/monotonic"
	"github.com/ebb-energy/ebb/internal/sysfs"
	"github.com/ebb-energy/ebb/qualify"
	"github.com/ebb-energy/ebb/topology"
	"github.com/ebb-energy/ebb/units"
)

// reading is what all sources showed over a stretch of a step of load.
type reading struct {
	begin units.Instant
	long  time.Duration
	load  int       // which step
	busy  float64   // share of all CPUs' time
	watts []float64 // of each source
	known []bool
}

// readings is the number of readings of a step of load.
const readings = 10

// meters is step 4: steps of load, from none to all CPUs, while all sources are read.
func (h *host) meters(ctx context.Context, step *qualify.Step) error {
	all := h.sources(step)
	if len(all) == 0 {
		gone := step.Missing[0]
		step.Missing = []qualify.Missing{}
		return &absent{gone.Absence, errText(gone.What + ": " + gone.Because)}
	}
	defer func() {
		for _, s := range all {
			_ = s.close() // it was only read
		}
	}()
	proc, err := sysfs.Open(h.Proc)
	if err != nil {
		return err
	}
	defer proc.Close()
	m := &qualify.Meters{Meters: []qualify.Meter{}, Against: []qualify.Compared{}}
	var found []reading
	for i := range qualify.LoadSteps {
		share := float64(i) / float64(qualify.LoadSteps-1)
		h.Say("   %.0f %% of all CPUs for %v", 100*share, h.Plan.Load())
		got, err := h.loaded(ctx, proc, all, i, share)
		if err != nil {
			return err
		}
		found = append(found, got...)
	}
	for i, s := range all {
		x := meterOf(found, i)
		x.Name, x.Scope = s.name(), s.scope()
		step, period := s.grain()
		x.StepJ, x.PeriodNS = step, int64(period)
		m.Meters = append(m.Meters, x)
	}
	m.Against = qualify.CompareMeters(m.Meters)
	step.Meters = m
	return nil
}

// errText is an error of its text alone.
type errText string

func (e errText) Error() string { return string(e) }

// loaded keeps all CPUs busy for a share of the time, and reads meanwhile.
func (h *host) loaded(ctx context.Context, proc *sysfs.FS, all []source, load int, share float64,
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
	at := monotonic.Now()
	for _, s := range all {
		s.cut(at)
	}
	for range readings {
		if err := h.pause(ctx, each); err != nil {
			return nil, err
		}
		after, err := busy(proc)
		if err != nil {
			return nil, err
		}
		now := monotonic.Now()
		r := reading{begin: at, long: now.Sub(at), load: load}
		r.busy = float64(after-before) / float64(r.long) / float64(len(h.cpus.CPUs()))
		for _, s := range all {
			w, ok := s.cut(now)
			r.watts, r.known = append(r.watts, w), append(r.known, ok)
		}
		out = append(out, r)
		before, at = after, now
	}
	return out, nil
}

// busy is the CPU time of all CPUs so far.
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
func turns(cpu topology.CPU, share float64, stop <-chan struct{}) {
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

// meterOf sums the readings of a source up.
func meterOf(found []reading, source int) (m qualify.Meter) {
	var x, y []float64
	sums := map[int]*qualify.Load{}
	m.Frozen = true
	for _, r := range found {
		if !r.known[source] {
			continue
		}
		x, y = append(x, r.busy), append(y, r.watts[source])
		l := sums[r.load]
		if l == nil {
			l = &qualify.Load{}
			sums[r.load] = l
		}
		l.Busy, l.Power, l.N = l.Busy+r.busy, l.Power+r.watts[source], l.N+1
		if y[0] != r.watts[source] {
			m.Frozen = false
		}
	}
	for i := range qualify.LoadSteps {
		if l := sums[i]; l != nil {
			m.Loads = append(m.Loads, qualify.Load{Busy: l.Busy / float64(l.N),
				Power: l.Power / float64(l.N), N: l.N})
		}
	}
	m.Follows = qualify.Correlation(x, y)
	return m
}
