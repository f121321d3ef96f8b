package host

import (
	"context"
	"errors"
	"time"

	"github.com/ebb-energy/ebb/internal/app/qualify"
	"github.com/ebb-energy/ebb/internal/linux/cgroup"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/units"
)

// besideAnother compares ebb with the highest clock while another program keeps half of the CPUs
// busy.
func (h *host) besideAnother(ctx context.Context, name string, states []units.Frequency,
) (*qualify.Comparison, error) {
	r, close, err := h.runner(ctx, name)
	if err != nil {
		return nil, err
	}
	defer close()
	end, err := h.beside(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	h.Say("   %s: %s beside another program", name, printable.Count(h.Plan.Beside(), "round"))
	settings := h.settings(r, states[len(states)-1:], allowed, false)
	result, err := h.compare(ctx, r, settings, h.Plan.Beside())
	if result == nil {
		return nil, err
	}
	return comparison(name, qualify.Foreign, result), err
}

// mostForeign bounds the turns of the other program, should ebb be killed: 12 minutes.
const mostForeign = 1800

// beside starts another program, which keeps half of the CPUs busy for half of the time. It is a
// process, because a thread of ebb's own would have ebb's priority during a run.
func (h *host) beside(ctx context.Context) (end func(), err error) {
	threads := (len(h.cpus.CPUs()) + 1) / 2
	p, err := begun(ctx, nil, argv(h.Self, foreignWork, mostForeign, threads)...)
	if err != nil {
		return nil, err
	}
	return func() {
		p.ask()
		_ = p.wait() // it was asked to end
	}, nil
}

// Limit of a program under a quota: a container's with half a CPU.
const (
	quotaTime   = quotaPeriod / qualify.QuotaStretch
	quotaPeriod = 100 * time.Millisecond
)

// underQuota compares ebb with the highest clock while the program is in a cgroup with limited CPU
// time. ebb itself is not in it. Where no such cgroup can be made there is no comparison.
func (h *host) underQuota(ctx context.Context, step *qualify.Step, name string,
	states []units.Frequency,
) (c *qualify.Comparison, err error) {
	group, err := cgroup.NewQuota(quotaTime, quotaPeriod)
	if err != nil {
		miss(step, "the rounds under a quota", err)
		return nil, nil
	}
	defer func() { err = errors.Join(err, group.Close()) }()
	r, close, err := h.runner(ctx, name, group.Directory())
	if err != nil {
		return nil, err
	}
	defer close()
	h.Say("   %s: %s under a quota of half a CPU", name,
		printable.Count(h.Plan.Beside(), "round"))
	result, err := h.compare(ctx, r, h.settings(r, states[len(states)-1:], allowed, false),
		h.Plan.Beside())
	if result == nil {
		return nil, err
	}
	c = comparison(name, qualify.Limited, result)
	held, heldErr := group.Throttled()
	ns := int64(held)
	c.HeldNS = &ns
	return c, errors.Join(err, heldErr)
}
