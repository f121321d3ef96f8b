package export

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	pprof "github.com/google/pprof/profile"

	"github.com/ebb-energy/ebb/internal/energy/profile"
)

// networked is the sample with what it sent and received.
func networked(t *testing.T) *profile.Profile {
	p := sample(t)
	p.Network = &profile.Network{Card: "1.1W while bytes are on the wire at 1000 Mbit/s (given)",
		Transfers: []profile.Transfer{
			{Thread: 0, Frames: p.Stacks[0].Frames,
				Traffic: profile.Traffic{Sent: 3000, Received: 5, LoopSent: 7, LoopReceived: 9,
					EnergyNJ: 26_444}},
			{Thread: 1, Traffic: profile.Traffic{Sent: 100, EnergyNJ: 880}},
		}}
	return p
}

// TestNetworkCSV: bytes by their ways and modelled joules, in columns of their own; none where
// there is no card.
func TestNetworkCSV(t *testing.T) {
	for _, card := range []bool{true, false} {
		p, joules := networked(t), "2.6444e-05"
		if !card {
			p.Network.Card, joules = "", ""
		}
		var b bytes.Buffer
		if err := CSV(&b, p, rows(t, p), 0); err != nil {
			t.Fatal(err)
		}
		all, err := csv.NewReader(&b).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		n := len(all[0]) - 5
		if got := strings.Join(all[0][n:], " "); got != "sent_bytes received_bytes "+
			"loopback_sent_bytes loopback_received_bytes network_modelled_j" {
			t.Errorf("columns %s", got)
		}
		if got := strings.Join(all[1][n:], " "); all[1][1] != "app.core.Parser.parse" ||
			got != "3000 5 7 9 "+joules {
			t.Errorf("%s: %s", all[1][1], got)
		}
	}
}

// TestNetworkPProf: traffic has samples of its own, and adds up with what the comments say.
func TestNetworkPProf(t *testing.T) {
	for _, card := range []bool{true, false} {
		p, types := networked(t), 5
		if !card {
			p.Network.Card, types = "", 4
		}
		var b bytes.Buffer
		if err := PProf(&b, p, 0); err != nil {
			t.Fatal(err)
		}
		got, err := pprof.Parse(&b)
		if err != nil {
			t.Fatal(err)
		}
		var sums [5]int64
		for _, s := range got.Sample {
			for i, v := range s.Value {
				sums[i] += v
			}
		}
		want := [5]int64{12, sums[1], 1_550_000, 3021, 26_444}
		if !card {
			want[4] = 0
		}
		if len(got.SampleType) != types || sums != want || got.SampleType[3].Unit != "bytes" ||
			got.DefaultSampleType != "energy" {
			t.Errorf("%v of %v, want %v", sums, got.SampleType, want)
		}
		if c := strings.Join(got.Comments, "\n"); !strings.Contains(c,
			"100 bytes of unknown callers") || strings.Contains(c, "not measured") != card {
			t.Errorf("comments:\n%s", c)
		}
	}
}

// TestNetworkPage: the table has the columns, and says that the energy is modelled; without the
// network it has neither.
func TestNetworkPage(t *testing.T) {
	var with, without bytes.Buffer
	p := networked(t)
	if err := HTML(&with, &Run{}, p, rows(t, p), 0); err != nil {
		t.Fatal(err)
	}
	p.Network = nil
	if err := HTML(&without, &Run{}, p, rows(t, p), 0); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<th>loopback</th>",
		"<td>3000 B</td><td>5 B</td><td>26.44 µJ</td><td>16 B</td>", "modelled, not measured"} {
		if !strings.Contains(with.String(), want) || strings.Contains(without.String(), want) {
			t.Errorf("%s: %v, without a network %v", want, strings.Contains(with.String(), want),
				strings.Contains(without.String(), want))
		}
	}
}
