package methods

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/energy/attribution"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
)

// finish makes the attribution, unless the user wants a quick end: names come from files that
// others have written, and may take long.
func (m *methods) Finish(ctx context.Context, r *report.Report) error {
	if err := m.attribute(ctx, r); err != nil {
		r.Warnings = append(r.Warnings, "attribution: "+err.Error())
	}
	if ctx.Err() != nil {
		r.Attribution = nil
		r.Warnings = append(r.Warnings, "attribution: interrupted, so the report has none")
	}
	return nil
}

// attachTime bounds the time in which Java machines are asked for their code, one after the other.
const attachTime = 3 * time.Second

// attribute makes the profile, and removes the files that Java machines wrote for ebb. It ends
// early with the context.
func (m *methods) attribute(ctx context.Context, r *report.Report) error {
	m.sums.AwaitStacks(ctx, monotonic.Now)
	written := m.askMachines(ctx)
	named, err := m.names()
	m.addDumps(ctx, named, written)
	var moved []attribution.Moved
	if m.traffic.counts() && m.reader != nil {
		moved = m.traffic.moved
	}
	p, e := m.sums.Finish(ctx, named, moved, r.OwnCPUNS)
	err = errors.Join(err, e)
	if p != nil && p.Network != nil {
		m.traffic.describe(p.Network)
	}
	r.Attribution = p
	if p != nil {
		findPackages(p)
	}
	err = errors.Join(err, m.removePerfMaps(written))
	h := m.reader
	if h == nil {
		h = m.markReader
	}
	if h == nil {
		return err
	}
	cpu, peak := h.Use()
	r.OwnCPUNS += int64(cpu)
	r.OwnRSSBytes += peak
	return err
}

// askMachines asks the Java machines that still run for their code, if it could not be read from
// their memory, and returns those that have written it.
func (m *methods) askMachines(ctx context.Context) (written map[int]bool) {
	began := time.Now()
	written = map[int]bool{}
	for pid, image := range m.sums.Unnamed() {
		if m.host.Launched() && m.host.ExitState() != nil {
			break // whatever it has written at its end is all there is
		}
		if time.Since(began) > attachTime {
			break
		}
		if err := m.reader.Attach(ctx, image); err == nil {
			written[pid] = true
		}
	}
	return written
}

// addDumps adds the Java machines that were started so that they write their perf maps when they
// end. Names are not asked for yet: the child that knows these machines may be lost by that.
func (m *methods) addDumps(ctx context.Context, named []attribution.Named, written map[int]bool) {
	if !m.arranged {
		return
	}
	asked := map[int]bool{}
	for i := range named {
		pid := int(named[i].PID)
		if !asked[pid] && !written[pid] && m.reader.MapsJVM(ctx, m.sums.Image(pid)) {
			written[pid] = true
		}
		asked[pid] = true
	}
}

// names returns the target's threads, one entry for each stay of a thread in a cgroup.
func (m *methods) names() (named []attribution.Named, err error) {
	threads, err := m.host.Stays()
	for _, t := range threads {
		named = append(named, attribution.Named{TID: int32(t.TID), PID: int32(t.TGID),
			InnerTID: int32(t.InnerTID), Comm: t.Comm, Ended: t.Ended, Created: t.Created})
	}
	return named, err
}

// removePerfMaps removes the perf maps that these processes wrote because ebb asked for them.
func (m *methods) removePerfMaps(pids map[int]bool) (err error) {
	for first := range pids {
		pid := m.host.OwnID(epochs.TID(first))
		if pid == 0 {
			continue
		}
		owner := m.owner
		if info, e := os.Stat(fmt.Sprintf("/proc/%d", pid)); e == nil {
			if stat, ok := info.Sys().(*syscall.Stat_t); ok {
				owner = stat.Uid
			}
		}
		_, e := m.temporary.Remove(fmt.Sprintf("perf-%d.map", pid), owner)
		err = errors.Join(err, e)
	}
	return err
}
