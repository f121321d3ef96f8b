package export

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"github.com/ebb-energy/ebb/energy/profile"
	"github.com/ebb-energy/ebb/internal/printable"
)

// CSV writes a view's rows, with SI units in the column names.
func CSV(w io.Writer, p *profile.Profile, rows []profile.Row) error {
	out := csv.NewWriter(w)
	head := []string{"rank", "unit", "energy_j", "share", "share_low_95", "share_high_95", "cpu_s",
		"power_w", "samples"}
	for _, r := range p.Rules {
		head = append(head, printable.Cell("energy_"+r+"_j"))
	}
	over := p.OverAttributes()
	if over {
		head = append(head, "over_attribution")
	}
	if p.Network != nil {
		head = append(head, "sent_bytes", "received_bytes", "loopback_sent_bytes",
			"loopback_received_bytes", "network_modelled_j")
	}
	record := func(fields []string) { _ = out.Write(fields) } // the writer keeps its error
	record(head)
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 9, 64) }
	for i := range rows {
		r := &rows[i]
		f := []string{
			strconv.Itoa(r.Rank), printable.Cell(r.Unit), number(float64(r.Energy) / 1e9),
			number(r.Share), number(r.Low), number(r.High),
			number(float64(r.TimeNS) / 1e9), number(r.Watts), strconv.Itoa(r.Samples),
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
		record(f)
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}
