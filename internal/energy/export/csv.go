package export

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// CSV writes a view's rows by a rule, with SI units in the column names, and last ebb's own line,
// which is no part of the program's energy and has no rank and share.
func CSV(w io.Writer, p *profile.Profile, rows []profile.Row, rule int) error {
	out := csv.NewWriter(w)
	head := csvHead(p)
	over := p.OverAttributes()
	if over {
		head = append(head, "over_attribution")
	}
	if p.Network != nil {
		head = append(head, "sent_bytes", "received_bytes", "loopback_sent_bytes",
			"loopback_received_bytes", "network_modelled_j")
	}
	calls := slices.ContainsFunc(rows, func(r profile.Row) bool { return r.Calls != nil })
	if calls {
		unit := unitOf(p)
		head = append(head, "calls", "call_"+unit, "call_low_95_"+unit, "call_high_95_"+unit)
	}
	record := func(fields []string) { _ = out.Write(fields) } // the writer keeps its error
	record(head)
	for i := range rows {
		r := &rows[i]
		f := []string{strconv.Itoa(r.Rank), printable.Cell(r.Unit), number(float64(r.Energy) / 1e9),
			number(r.Share), number(r.Low), number(r.High),
			number(float64(r.TimeNS) / 1e9), number(r.Watts), strconv.Itoa(r.Samples)}
		if !p.Joules() {
			f = withoutJoules(f)
		}
		for _, e := range r.Rules {
			f = append(f, number(float64(e)/1e9))
		}
		if over {
			f = append(f, number(p.OverAttribution(r.Rules)))
		}
		if n := r.Network; n != nil {
			for _, bytes := range []uint64{n.Sent, n.Received, n.LoopSent, n.LoopReceived} {
				f = append(f, strconv.FormatUint(bytes, 10))
			}
			energy := "" // without a card there is none
			if p.Network.Card != "" {
				energy = number(float64(n.EnergyNJ) / 1e9)
			}
			f = append(f, energy)
		}
		if calls {
			f = append(f, rowCalls(r)...)
		}
		record(f)
	}
	if p.OwnRunNS > 0 {
		record(ownRecord(p, rule, len(head)))
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}

// number returns a figure of a table.
func number(v float64) string { return strconv.FormatFloat(v, 'g', 9, 64) }

// csvColumns are the columns of a row. A profile of CPU time has no energy and no power.
var csvColumns = []string{"rank", "unit", "energy_j", "share", "share_low_95", "share_high_95",
	"cpu_s", "power_w", "samples"}

// withoutJoules returns a row's cells without energy and power.
func withoutJoules(cells []string) []string {
	return slices.Concat(cells[:2], cells[3:7], cells[8:])
}

// unitOf returns the unit of amounts in a column's name.
func unitOf(p *profile.Profile) string {
	if p.Joules() {
		return "j"
	}
	return "cpu_s"
}

// csvHead returns the columns, with one for each rule.
func csvHead(p *profile.Profile) []string {
	head, by := slices.Clone(csvColumns), "energy_%s_j"
	if !p.Joules() {
		head, by = withoutJoules(head), "cpu_%s_s"
	}
	for _, r := range p.Rules {
		head = append(head, printable.Cell(fmt.Sprintf(by, r)))
	}
	return head
}

// ownRecord returns the line of ebb itself, with so many cells. Unknown energies are empty.
func ownRecord(p *profile.Profile, rule, cells int) []string {
	f := make([]string, len(csvColumns))
	f[1], f[6] = profile.OwnUnit, number(float64(p.OwnRunNS)/1e9)
	if !p.Joules() {
		f = withoutJoules(f)
	} else if e, known := p.Own(rule); known {
		f[2], f[7] = number(float64(e)/1e9), number(float64(e)/float64(p.OwnRunNS))
	}
	for j := range p.Rules {
		cell := ""
		if e, known := p.Own(j); known && p.Joules() {
			cell = number(float64(e) / 1e9)
		}
		f = append(f, cell)
	}
	return append(f, make([]string, cells-len(f))...)
}

// rowCalls returns the cells of counted calls.
func rowCalls(r *profile.Row) []string {
	if r.Calls == nil {
		return make([]string, 4)
	}
	return append([]string{strconv.FormatUint(*r.Calls, 10)}, callCells(r.PerCall)...)
}
