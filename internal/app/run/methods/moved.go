package methods

import (
	"slices"

	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/energy/attribution"
	"github.com/ebb-energy/ebb/internal/network"
	"github.com/ebb-energy/ebb/units"
)

// movedBy returns the bytes that each thread moved, by its callers, with the report's energy for
// them. The callers of threads for which the kernel had no room belong to their process's rest,
// whose thread is 0.
func movedBy(
	counts []network.Count, by []network.CallerCount, r *report.Network,
) (out []attribution.Moved) {
	type thread struct{ pid, tid int }
	callers, energies := map[thread][]network.CallerCount{}, map[thread]units.Energy{}
	counted := map[thread]bool{}
	for _, c := range counts {
		counted[thread{c.PID, c.TID}] = true
	}
	for _, c := range by {
		id := thread{c.PID, c.TID}
		if !counted[id] {
			id.tid = 0
		}
		callers[id] = append(callers[id], c)
	}
	for _, p := range r.Processes {
		for _, t := range p.Threads {
			if t.EnergyNJ != nil {
				energies[thread{p.PID, t.TID}] = units.Energy(*t.EnergyNJ)
			}
		}
	}
	for _, c := range counts {
		id := thread{c.PID, c.TID}
		out = append(out, attribution.Moved{PID: c.PID, TID: c.TID, Comm: c.Comm, Bytes: c.Bytes,
			Energy: energies[id], By: callers[id]})
	}
	return out
}

// summarised sums the counts of threads by process. They come in the order of their processes.
func summarised(counts []network.Count, card *network.Card, named []report.Thread) *report.Network {
	n := &report.Network{Processes: []report.NetworkProcess{}}
	for len(counts) > 0 {
		pid := counts[0].PID
		end := slices.IndexFunc(counts, func(c network.Count) bool { return c.PID != pid })
		if end < 0 {
			end = len(counts)
		}
		n.Processes = append(n.Processes, processOf(counts[:end], card, named))
		counts = counts[end:]
	}
	return n
}

func processOf(
	counts []network.Count, card *network.Card, named []report.Thread,
) report.NetworkProcess {
	p := report.NetworkProcess{PID: counts[0].PID, Comm: counts[0].Comm}
	if i := slices.IndexFunc(named,
		func(t report.Thread) bool { return int(t.TID) == p.PID }); i >= 0 {
		p.Comm = named[i].Comm
	}
	var all network.Bytes
	bytes := make([]uint64, len(counts))
	for i, c := range counts {
		all = all.Plus(c.Bytes)
		bytes[i] = c.Card()
	}
	var parts []units.Energy
	if card != nil {
		parts = card.Divide(bytes)
	}
	var sum units.Energy
	for i, c := range counts {
		t := report.NetworkThread{TID: c.TID, Comm: c.Comm, NetworkBytes: bytesOf(c.Bytes)}
		if card != nil {
			modelled(&t.NetworkBytes, parts[i])
			sum = sum.Plus(parts[i])
		}
		p.Threads = append(p.Threads, t)
	}
	p.NetworkBytes = bytesOf(all)
	if card != nil {
		modelled(&p.NetworkBytes, sum)
	}
	return p
}

func bytesOf(b network.Bytes) report.NetworkBytes {
	return report.NetworkBytes{SentBytes: b.Sent, ReceivedBytes: b.Received,
		LoopbackSentBytes: b.LoopSent, LoopbackReceivedBytes: b.LoopReceived}
}

func modelled(b *report.NetworkBytes, e units.Energy) {
	nj := int64(e)
	b.EnergyNJ, b.Source = &nj, report.Modelled
}
