package host

import (
	"context"
	"errors"
	"time"

	"github.com/ebb-energy/ebb/cpufreq/settle"
	"github.com/ebb-energy/ebb/internal/app/qualify"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
)

// requests makes step 2.
func (h *host) requests(ctx context.Context, step *qualify.Step) error {
	q := &qualify.Requests{Domains: []qualify.DomainTried{}, Busy: []qualify.BusyCores{}}
	if err := h.together(ctx, step, q); err != nil {
		return err
	}
	step.Requests = q
	return h.apart(ctx, step, q)
}

// together sets all clocks alike.
func (h *host) together(ctx context.Context, step *qualify.Step, q *qualify.Requests) (err error) {
	a, err := h.hold()
	if err != nil {
		return err
	}
	defer letGo(a, &err)
	q.Actuator, q.Reason = a.Name(), a.Reason()
	q.LowHz, q.HighHz = int64(h.states[0]), int64(h.states[len(h.states)-1])
	h.Say("   measures the way from a request to the clock")
	r, err := settle.Run(h.fs, a)
	q.Source, q.Ratio, q.Asked = r.Source, finite(r.Ratio), finite(r.Asked)
	q.P50NS, q.P99NS, q.Settled, q.Missed = int64(r.P50), int64(r.P99), r.Requests, r.Missed
	switch {
	case errors.Is(err, settle.ErrNoEffect), errors.Is(err, settle.ErrUnobserved):
		q.Trouble = err.Error()
		q.P50NS, q.P99NS, q.Settled = 0, 0, 0 // too few requests settled
	case err != nil:
		return err
	}
	h.Say("   keeps more and more cores busy")
	if q.Busy, err = h.busier(ctx); err != nil {
		miss(step, "the clock with several busy cores", err)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return h.warmUp(ctx, step, q)
}

// look is the time for which a speed is watched.
const look = 100 * time.Millisecond

// afterRequest is the wait after a request. Step 2 measures the real settle time.
const afterRequest = 50 * time.Millisecond

// busier measures one core's speed at the highest clock, alone and beside others.
func (h *host) busier(ctx context.Context) (out []qualify.BusyCores, err error) {
	cores := h.coreCPUs()
	one := 0.0
	for _, n := range growing(len(cores)) {
		stop, refused := make(chan struct{}), make(chan bool, n)
		for _, cpu := range cores[1:n] {
			go func() { refused <- settle.Spin(cpu, stop) != nil }()
		}
		time.Sleep(afterRequest)
		s, err := settle.SpeedOf(cores[0], max(look, h.Plan.Each()/4))
		close(stop)
		busy := 1
		for range n - 1 {
			if !<-refused {
				busy++ // a CPU that ebb may not use is not
			}
		}
		if err != nil || ctx.Err() != nil {
			return out, errors.Join(err, ctx.Err())
		}
		if n == 1 {
			one = s.Value
		}
		out = append(out,
			qualify.BusyCores{Busy: busy, Asked: n, Relative: s.Value / one, Hz: int64(s.Clock)})
	}
	return out, nil
}

// coreCPUs returns one CPU of each core.
func (h *host) coreCPUs() (out []sysfs.CPU) {
	seen := map[sysfs.Core]bool{}
	for _, cpu := range h.cpus.CPUs() {
		if p, ok := h.cpus.Place(cpu); ok && (p.Core == sysfs.Unknown || !seen[p.Core]) {
			seen[p.Core] = true
			out = append(out, cpu)
		}
	}
	return out
}

// growing returns 1, a half of n, and n.
func growing(n int) []int {
	switch {
	case n <= 1:
		return []int{1}
	case n == 2:
		return []int{1, 2}
	}
	return []int{1, (n + 1) / 2, n}
}

// finite returns a number that JSON can hold.
func finite(x float64) float64 {
	if x-x != 0 {
		return 0
	}
	return x
}
