package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/units"
)

// Network is the traffic of the target's processes.
type Network struct {
	// LinkMbps and CardW describe the card by which the energy is modelled; 0 when there is no such
	// energy, and Note says why. LinkSource is "given" by the user, or the attribute of the
	// kernel's.
	LinkMbps   int     `json:"link_mbps,omitempty"`
	LinkSource string  `json:"link_source,omitempty"`
	CardW      float64 `json:"card_w,omitempty"`
	Note       string  `json:"note,omitempty"`
	// Processes are the processes that sent or received something, by their id.
	Processes []NetworkProcess `json:"processes"`
	// UnlistedBytes are bytes of no listed process, because there were too many.
	UnlistedBytes uint64 `json:"untold_bytes,omitempty"`
}

// NetworkProcess is one process' traffic: the sum of its threads'.
type NetworkProcess struct {
	PID  int    `json:"pid"`
	Comm string `json:"comm"`
	NetworkBytes
	Threads []NetworkThread `json:"threads"`
}

// NetworkThread is one thread's traffic. TID 0 stands for all threads without a place of their own.
type NetworkThread struct {
	TID  int    `json:"tid"`
	Comm string `json:"comm"`
	NetworkBytes
}

// NetworkBytes are payload: bytes that programs handed over and got. The bytes of loopback stayed
// on the machine, and are not in the others.
type NetworkBytes struct {
	SentBytes             uint64 `json:"sent_bytes"`
	ReceivedBytes         uint64 `json:"received_bytes"`
	LoopbackSentBytes     uint64 `json:"loopback_sent_bytes"`
	LoopbackReceivedBytes uint64 `json:"loopback_received_bytes"`
	// EnergyNJ is the card's energy for the bytes sent and received, and Source its origin:
	// Modelled. Both are absent without a card.
	EnergyNJ *int64 `json:"energy_nj,omitempty"`
	Source   string `json:"source,omitempty"`
}

// shownProcesses is the number of processes that the summary shows.
const shownProcesses = 10

// networkLines prints a line for each process, those that moved the most first.
func (r *Report) networkLines(p func(string, string, ...any)) {
	n := r.Network
	if n == nil {
		return
	}
	name := "network"
	line := func(format string, args ...any) { p(name, format, args...); name = "" }
	sorted := byBytes(n.Processes)
	for i := range sorted {
		if i == shownProcesses {
			line("and %s", printable.Count(len(sorted)-i, "more process"))
			break
		}
		line("%s", sorted[i].line(n))
	}
	if len(sorted) == 0 {
		line("nothing was sent or received")
	}
	if n.UnlistedBytes > 0 {
		line("%s of processes beyond those that are counted one by one",
			profile.Bytes(n.UnlistedBytes))
	}
	if n.Note != "" {
		line("%s", n.Note)
	}
}

// WriteText prints a line for each process and thread, those that moved the most first. It prints
// at most top processes, and top threads of each; 0 prints all.
func (n *Network) WriteText(w io.Writer, top, width int) error {
	var b strings.Builder
	if n.CardW > 0 {
		printable.Fprintf(
			&b,
			"energy modelled, not measured: %v while bytes are on the wire at %d Mbit/s (%s)\n\n",
			units.Power(n.CardW), n.LinkMbps, n.LinkSource,
		)
	} else {
		printable.Fprintf(&b, "%s\n\n", n.Note)
	}
	c := printable.Table{Name: "unit", Columns: []printable.Column{{Title: "sent", Weight: 5},
		{Title: "received", Weight: 5}, {Title: "modelled", Weight: 4},
		{Title: "sent within", Weight: 2}, {Title: "received within", Weight: 2}}}
	for i, p := range byBytes(n.Processes) {
		if top > 0 && i == top {
			c.Row("(" + printable.Count(len(n.Processes)-i, "more process") + ")")
			break
		}
		p.row(&c, fmt.Sprintf("%s (process %d)", p.Comm, p.PID))
		for j, t := range byBytes(p.Threads) {
			if top > 0 && j == top {
				c.Row("  (" + printable.Count(len(p.Threads)-j, "more thread") + ")")
				break
			}
			name := fmt.Sprintf("  %s (%d)", t.Comm, t.TID)
			if t.TID == 0 {
				name = "  other threads"
			}
			t.row(&c, name)
		}
	}
	if err := c.Write(&b, width); err != nil {
		return err
	}
	if n.UnlistedBytes > 0 {
		printable.Fprintf(&b, "%s of processes beyond those that are counted one by one\n",
			profile.Bytes(n.UnlistedBytes))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (b *NetworkBytes) row(c *printable.Table, name string) {
	energy := "-"
	if b.EnergyNJ != nil {
		energy = units.Energy(*b.EnergyNJ).String()
	}
	c.Row(name, profile.Bytes(b.SentBytes), profile.Bytes(b.ReceivedBytes), energy,
		profile.Bytes(b.LoopbackSentBytes), profile.Bytes(b.LoopbackReceivedBytes))
}

// byBytes returns a sorted copy, those that moved the most first.
func byBytes[T interface{ all() uint64 }](s []T) []T {
	return slices.SortedStableFunc(slices.Values(s),
		func(a, b T) int { return cmp.Compare(b.all(), a.all()) })
}

func (b NetworkBytes) all() uint64 {
	return b.SentBytes + b.ReceivedBytes + b.LoopbackSentBytes + b.LoopbackReceivedBytes
}

func (p *NetworkProcess) line(n *Network) string {
	s := fmt.Sprintf("%s (process %d): %s sent, %s received", p.Comm, p.PID,
		profile.Bytes(p.SentBytes), profile.Bytes(p.ReceivedBytes))
	if p.EnergyNJ != nil {
		s += fmt.Sprintf(", %s modelled (%v at %d Mbit/s; not measured)", units.Energy(*p.EnergyNJ),
			units.Power(n.CardW), n.LinkMbps)
	}
	if p.LoopbackSentBytes+p.LoopbackReceivedBytes > 0 {
		s += fmt.Sprintf("; %s sent and %s received within the machine",
			profile.Bytes(p.LoopbackSentBytes), profile.Bytes(p.LoopbackReceivedBytes))
	}
	return s
}
