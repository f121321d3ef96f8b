package host

import (
	"context"
	"fmt"
	"time"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/cpufreq/settle"
	"github.com/ebb-energy/ebb/internal/app/qualify"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/units"
)

// mostOthers is the number of other domains that are watched, at most, while one is tried.
const mostOthers = 3

// apart sets the domains' clocks one by one, and watches others meanwhile. All domains are held:
// the kernel's governor would raise the clock of the CPU on which a speed is measured.
func (h *host) apart(ctx context.Context, step *qualify.Step, q *qualify.Requests) (err error) {
	machine, err := cpufreq.Open(h.fs)
	if err != nil {
		return err
	}
	all := machine.Domains
	q.Of = len(all)
	if len(all) == 1 {
		q.Domains = append(q.Domains, qualify.DomainTried{ID: int(all[0].ID), Ratio: q.Ratio,
			Asked: q.Asked, With: []int{}})
		return nil
	}
	h.Say("   sets each of %d domains by itself", min(len(all), qualify.MostDomains))
	a, err := h.hold()
	if err != nil {
		return err
	}
	defer letGo(a, &err)
	for i := range min(len(all), qualify.MostDomains) {
		at := i * len(all) / min(len(all), qualify.MostDomains)
		tried, err := h.domain(a, machine.States(all[at].CPUs), all, at)
		if err != nil {
			miss(step, fmt.Sprintf("policy%d by itself", all[at].ID), err)
			continue
		}
		q.Domains = append(q.Domains, tried)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// moved is the least change of another domain's speed that is not noise, as a share of the speed.
const moved = 0.1

// domain sets one domain's clock low and high, while the others' are low. It keeps the domain's CPU
// busy, because hardware that couples clocks may ignore the request of an idle CPU.
func (h *host) domain(a cpufreq.Actuator, states []units.Frequency, all []cpufreq.Domain, at int,
) (out qualify.DomainTried, err error) {
	d := &all[at]
	if len(d.Online) == 0 {
		return out, lacks(qualify.NotSupported, "no CPU of it is online")
	}
	low, high := states[0], states[len(states)-1]
	out = qualify.DomainTried{ID: int(d.ID), Asked: float64(high) / float64(low), With: []int{}}
	others := h.watched(all, at)
	speeds := map[units.Frequency][]float64{}
	for _, f := range []units.Frequency{low, high} {
		a.SetAlone(d.ID, f, 0)
		time.Sleep(afterRequest)
		s, err := settle.SpeedOf(d.Online[0], look)
		if err != nil {
			return out, err
		}
		speeds[f] = append(speeds[f], s.Value)
		of, err := besideBusy(d.Online[0], others)
		if err != nil {
			return out, err
		}
		speeds[f] = append(speeds[f], of...)
	}
	out.Ratio = finite(speeds[high][0] / speeds[low][0])
	for i, o := range others {
		if r := finite(speeds[high][i+1] / speeds[low][i+1]); r > 1+moved {
			out.With = append(out.With, int(o.ID))
		}
		out.Tried++
	}
	return out, nil
}

// watched returns some of the domains that follow in the list. It leaves out a domain with a thread
// of the same core: the two have one clock by design.
func (h *host) watched(all []cpufreq.Domain, at int) (others []*cpufreq.Domain) {
	own, _ := h.cpus.Place(all[at].Online[0])
	for i := 1; i < len(all) && len(others) < mostOthers; i++ {
		o := &all[(at+i)%len(all)]
		if len(o.Online) == 0 {
			continue
		}
		p, _ := h.cpus.Place(o.Online[0])
		if own.Core == sysfs.Unknown || p.Core != own.Core {
			others = append(others, o)
		}
	}
	return others
}

// besideBusy measures the domains' speeds one by one, while a CPU is busy.
func besideBusy(busy sysfs.CPU, others []*cpufreq.Domain) (speeds []float64, err error) {
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		_ = settle.Spin(busy, stop) // a CPU that ebb may not use is not busy
	}()
	defer func() {
		close(stop)
		<-done
	}()
	for _, o := range others {
		s, err := settle.SpeedOf(o.Online[0], look)
		if err != nil {
			return nil, err
		}
		speeds = append(speeds, s.Value)
	}
	return speeds, nil
}
