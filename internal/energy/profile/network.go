package profile

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/units"
)

// Network is the program's traffic, by the stacks that sent and received it. The transfers of a
// thread add up to all that it sent and received, and their energy to its part of the card's
// (e-Surgeon, equations 10 and 11).
type Network struct {
	// Card is the network card by which energies are modelled; empty when there are none, and Note
	// says why.
	Card      string     `json:"card,omitempty"`
	Note      string     `json:"note,omitempty"`
	Transfers []Transfer `json:"transfers"`
}

// Transfer is the traffic of one stack of a thread.
type Transfer struct {
	Thread int   `json:"thread"` // index into Threads
	Frames []int `json:"frames"` // frames as in Stack.Frames; none where the caller is not known
	Cut    bool  `json:"cut,omitempty"`
	Traffic
}

// Traffic has payload bytes, as package network counts them, and the energy that the card takes for
// those sent and received. The energy is modelled, never measured. Loopback's bytes stay on the
// machine, cost no card anything, and are not among the others.
type Traffic struct {
	Sent         uint64 `json:"sent_bytes"`
	Received     uint64 `json:"received_bytes"`
	LoopSent     uint64 `json:"loopback_sent_bytes"`
	LoopReceived uint64 `json:"loopback_received_bytes"`
	EnergyNJ     int64  `json:"modelled_energy_nj"`
}

// Add adds o.
func (t *Traffic) Add(o *Traffic) {
	t.Sent += o.Sent
	t.Received += o.Received
	t.LoopSent += o.LoopSent
	t.LoopReceived += o.LoopReceived
	t.EnergyNJ += o.EnergyNJ
}

// All returns the sum of the bytes; 0 for nil.
func (t *Traffic) All() uint64 {
	if t == nil {
		return 0
	}
	return t.Sent + t.Received + t.LoopSent + t.LoopReceived
}

// Bytes formats a number of bytes with three or four digits, and small ones exactly.
func Bytes(n uint64) string {
	if n < 10_000 {
		return fmt.Sprintf("%d B", n)
	}
	v := float64(n)
	for _, unit := range []string{"kB", "MB", "GB"} {
		if v /= 1000; v < 1000 {
			return fmt.Sprintf("%.4g %s", v, unit)
		}
	}
	return fmt.Sprintf("%.4g TB", v/1000)
}

// Cells returns sent, received, the modelled energy ("-" without a card) and what stayed within the
// machine, as views print them.
func (n *Network) Cells(t *Traffic) [4]string {
	energy := "-"
	if n.Card != "" {
		energy = units.Energy(t.EnergyNJ).String()
	}
	return [4]string{Bytes(t.Sent), Bytes(t.Received), energy, Bytes(t.LoopSent + t.LoopReceived)}
}

// Line returns a sentence on what the program moved in all, and on its energy.
func (n *Network) Line() string {
	var all Traffic
	for i := range n.Transfers {
		all.Add(&n.Transfers[i].Traffic)
	}
	c := n.Cells(&all)
	s := fmt.Sprintf("%s sent, %s received, %s within the machine", c[0], c[1], c[3])
	if n.Card == "" {
		return s + "; " + n.Note
	}
	return s + "; " + c[2] + " modelled, not measured: " + n.Card
}

// traffic adds what the stacks moved to the rows of a view.
func (v *View) traffic(row func(unit string) *Row) {
	if v.profile.Network == nil {
		return
	}
	for i := range v.profile.Network.Transfers {
		x := &v.profile.Network.Transfers[i]
		unit := v.unit(&Stack{Thread: x.Thread, Frames: x.Frames})
		if len(x.Frames) == 0 && strings.HasPrefix(unit, neverSampled) {
			unit = noCaller
		}
		if v.by == "frequency" || v.by == "method@frequency" {
			unit = v.at(unit, 0)
		}
		row(unit).Network.Add(&x.Traffic)
	}
}

// Movers returns the rows that sent or received something, those that moved the most first.
func Movers(rows []Row) []Row {
	moved := slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return r.Network.All() == 0 })
	slices.SortStableFunc(moved,
		func(a, b Row) int { return cmp.Compare(b.Network.All(), a.Network.All()) })
	return moved
}

// WriteMovers prints the first rows of Movers on a page of a width. Top 0 is all rows.
func (p *Profile) WriteMovers(w io.Writer, rows []Row, top, width int) error {
	c := printable.Table{Name: "unit", Columns: movedColumns}
	for i := range rows {
		if top > 0 && i == top {
			c.Row(fmt.Sprintf("(%d more)", len(rows)-i))
			break
		}
		c.Row(rows[i].Unit, p.networkOf(&rows[i])...)
	}
	return c.Write(w, width)
}
