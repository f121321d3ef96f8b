package methods

import (
	"context"
	"fmt"

	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/energy/attribution"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/network"
)

// traffic counts the bytes that the target sends and receives, with their modelled energy.
type traffic struct {
	part.Passive
	counter *network.Counter
	card    *network.Card // nil when there is no card to take energy from
	source  string        // source of the card's speed
	note    string        // why there is no energy
	moved   []attribution.Moved
}

// OpenNetwork starts counting for the threads that the tracer follows, when it is asked for, and
// returns the counts that the methods need.
func OpenNetwork(r *part.Run) (Movers, error) {
	if !r.Settings.Network {
		return Movers{}, nil
	}
	card, source, err := cardOf(&r.Settings.Config, r.Sysfs)
	t := &traffic{card: card, source: source}
	if err != nil {
		t.note = "energy unknown: " + err.Error()
	}
	t.counter, err = network.Open(r.Tracer.Followed(), r.Settings.Methods.Wanted)
	if err != nil {
		return Movers{}, err
	}
	r.Use(part.Totals, t)
	return Movers{t}, nil
}

// Movers are the threads that sent or received, for the methods; the zero value in a run that does
// not count.
type Movers struct{ *traffic }

// counts reports whether there are bytes to attribute.
func (m Movers) counts() bool { return m.traffic != nil }

// finish adds the counts to the report.
func (t *traffic) Finish(_ context.Context, r *report.Report) error {
	if err := t.add(r); err != nil {
		r.Warnings = append(r.Warnings, err.Error())
	}
	return nil
}

func (t *traffic) Close() error { return t.counter.Close() }

func (t *traffic) add(r *report.Report) error {
	by, unseen, err := t.counter.ReadCallers()
	if err != nil {
		return err
	}
	counts, unbooked, err := t.counter.Read()
	if err != nil {
		return err
	}
	r.Network = summarised(counts, t.card, r.Threads)
	r.Network.UnlistedBytes, r.Network.Note = unbooked, t.note
	if t.card != nil {
		r.Network.LinkMbps, r.Network.LinkSource = t.card.Mbps, t.source
		r.Network.CardW = float64(t.card.Power)
	}
	t.moved = movedBy(counts, by, r.Network)
	if unseen > 0 {
		r.Warnings = append(r.Warnings,
			fmt.Sprintf("network: %d sends or receives have an unknown caller, for want of room",
				unseen))
	}
	return nil
}

// describe names the source of the network's energies in the profile.
func (t *traffic) describe(n *profile.Network) {
	n.Note = t.note
	if t.card != nil {
		n.Card = fmt.Sprintf("%v while bytes are on the wire at %d Mbit/s (%s)", t.card.Power,
			t.card.Mbps, t.source)
	}
}
