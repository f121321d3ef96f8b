package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ebb-energy/ebb/config"
	"github.com/ebb-energy/ebb/energy/attribution"
	"github.com/ebb-energy/ebb/energy/profile"
	"github.com/ebb-energy/ebb/internal/sysfs"
	"github.com/ebb-energy/ebb/network"
	"github.com/ebb-energy/ebb/report"
	"github.com/ebb-energy/ebb/units"
)

// networkUse is what counts a run's network bytes, and what they are taken to cost.
type networkUse struct {
	counter *network.Counter
	card    *network.Card // nil when there is none to take energy from
	source  string        // of the card's speed
	note    string        // why there is no energy
	moved   []attribution.Moved
}

// openNetwork starts the counting for the threads that the tracer follows.
func (n *session) openNetwork() error {
	card, source, err := cardOf(&n.settings.config, n.sysfs)
	t := &networkUse{card: card, source: source}
	if err != nil {
		t.note = "no energy is given: " + err.Error()
	}
	if t.counter, err = network.Open(n.tracer.Followed(), n.settings.methods); err != nil {
		return err
	}
	n.network = t
	return nil
}

// cardOf is the card of the configuration. An error says what is missing in it.
func cardOf(c *config.Config, fs *sysfs.FS) (*network.Card, string, error) {
	if c.CardPower == 0 {
		return nil, "", errors.New("the configuration has no network.card_power")
	}
	card, source := network.Card{Mbps: c.LinkMbps, Power: c.CardPower}, "given"
	if card.Mbps == 0 {
		var err error
		if card.Mbps, source, err = linkSpeed(fs); err != nil {
			return nil, "", err
		}
	}
	return &card, source, card.Check()
}

// linkSpeed is what the kernel says of the one card that is up, and in which attribute.
func linkSpeed(fs *sysfs.FS) (mbps int, attribute string, err error) {
	const dir = "class/net"
	names, err := fs.Names(dir)
	if err != nil {
		return 0, "", fmt.Errorf(
			"look for the network's cards: %w; the configuration can say network.link_mbps", err,
		)
	}
	var found []string
	for _, name := range names {
		if _, err := fs.Names(dir + "/" + name + "/device"); err != nil {
			continue // a virtual one
		}
		if state, err := fs.Read(dir + "/" + name + "/operstate"); err != nil ||
			strings.TrimSpace(state) != "up" {
			continue
		}
		found = append(found, name)
	}
	switch {
	case len(found) == 0:
		return 0, "", errors.New(
			"no network card is up; the configuration can say network.link_mbps",
		)
	case len(found) > 1:
		return 0, "", fmt.Errorf(
			"several network cards are up (%s): the configuration must say network.link_mbps", strings.Join(found, ", "),
		)
	}
	attribute = dir + "/" + found[0] + "/speed"
	speed, err := fs.ReadInt(attribute)
	if err != nil || speed <= 0 {
		return 0, "", fmt.Errorf(
			"the kernel does not know the speed of %s: the configuration must say network.link_mbps", found[0],
		)
	}
	return int(speed), attribute, nil
}

// report hands the counts to the report.
func (t *networkUse) report(r *report.Report) error {
	by, unseen, err := t.counter.ReadCallers()
	if err != nil {
		return err
	}
	counts, untold, err := t.counter.Read()
	if err != nil {
		return err
	}
	r.Network = summarised(counts, t.card, r.Threads)
	r.Network.UntoldBytes, r.Network.Note = untold, t.note
	if t.card != nil {
		r.Network.LinkMbps, r.Network.LinkSource, r.Network.CardW = t.card.Mbps, t.source, float64(t.card.Power)
	}
	t.moved = movedBy(counts, by, r.Network)
	if unseen > 0 {
		r.Warnings = append(r.Warnings,
			fmt.Sprintf(
				"network: what was sent or received is of an unknown caller %d times, for want of room", unseen,
			))
	}
	return nil
}

// movedBy is what each thread moved, by its callers, with the energy that the report has for it.
func movedBy(
	counts []network.Count, by []network.CallerCount, r *report.Network,
) (out []attribution.Moved) {
	type thread struct{ pid, tid int }
	callers, energies := map[thread][]network.CallerCount{}, map[thread]units.Energy{}
	for _, c := range by {
		callers[thread{c.PID, c.TID}] = append(callers[thread{c.PID, c.TID}], c)
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

// of says in the profile what its network's energies are.
func (t *networkUse) of(n *profile.Network) {
	n.Note = t.note
	if t.card != nil {
		n.Card = fmt.Sprintf("%v while bytes are on the wire at %d Mbit/s (%s)", t.card.Power,
			t.card.Mbps, t.source)
	}
}

// summarised adds the counts of threads, in the order of their processes, up by process.
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
