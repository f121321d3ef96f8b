package profile

import (
	"bytes"
	"errors"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// networked is the sample with what its stacks sent and received.
func networked() *Profile {
	p := sample()
	p.Network = &Network{Card: "1.1W while bytes are on the wire at 1000 Mbit/s (given)",
		Transfers: []Transfer{
			{Thread: 0, Frames: []int{6, 0, 2},
				Traffic: Traffic{Sent: 30_000, Received: 5, EnergyNJ: 264_044}},
			{Thread: 0, Frames: []int{6, 2},
				Traffic: Traffic{Sent: 10_000, LoopSent: 70, EnergyNJ: 88_000}},
			{Thread: 2, Frames: []int{6, 0, 2},
				Traffic: Traffic{Received: 1000, LoopReceived: 2, EnergyNJ: 8800}},
			{Thread: 2, Traffic: Traffic{Sent: 1, EnergyNJ: 9}},
		}}
	return p
}

// TestNetworkRows: every view has all bytes and all of their energy, which is not in the energy of
// the processor.
func TestNetworkRows(t *testing.T) {
	p := networked()
	want := Traffic{Sent: 40_001, Received: 1005, LoopSent: 70, LoopReceived: 2, EnergyNJ: 360_853}
	for _, by := range Views {
		var all Traffic
		var energy int64
		for _, r := range p.Rows(view(t, p, by), 0) {
			all.Add(r.Network)
			energy += r.Energy
		}
		if all != want || energy != 1600 {
			t.Errorf("by %s: %+v and %d nJ, want %+v and 1600", by, all, energy, want)
		}
	}
	rows := p.Rows(view(t, p, "method"), 0)
	for unit, want := range map[string]Traffic{
		"app.core.Parser.parse": {Sent: 30_000, Received: 1005, LoopReceived: 2, EnergyNJ: 272_844},
		"app.Main.run":          {Sent: 10_000, LoopSent: 70, EnergyNJ: 88_000}, noCaller: {Sent: 1,
			EnergyNJ: 9}, "[gc]": {}, neverSampled + " idle": {},
	} {
		for _, r := range rows {
			if r.Unit == unit && *r.Network != want {
				t.Errorf("%s: %+v, want %+v", unit, *r.Network, want)
			}
		}
	}
	var b bytes.Buffer
	if err := errors.Join(p.WriteText(&b, rows, 0, 0, printable.All),
		p.WriteMovers(&b, Movers(rows), 2, printable.All)); err != nil {
		t.Fatal(err)
	}
	devtest.Golden(t, "testdata/network.txt", b.Bytes())
}

// TestSum: e-Surgeon's equation 3. The parts add up, the order is the sums', and the table says
// what is measured and what is not; without a card's energy there is no sum.
func TestSum(t *testing.T) {
	p := networked()
	rows := p.Rows(view(t, p, "method"), 0)
	if err := p.AddNetwork(rows); err != nil {
		t.Fatal(err)
	}
	before, all := rows[0].Sum, int64(0)
	for _, r := range rows {
		if *r.Sum != r.Energy+r.Network.EnergyNJ || *r.Sum > *before ||
			r.SumOf != p.Zones[0].Source+" + modelled" {
			t.Errorf("%s: %d of %s", r.Unit, *r.Sum, r.SumOf)
		}
		before, all = r.Sum, all+*r.Sum
	}
	if all != 1600+360_853 {
		t.Errorf("%d", all)
	}
	var b bytes.Buffer
	if err := p.WriteText(&b, rows, 0, 2, printable.All); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{p.Zones[0].Source + " + modelled", "modelled and not measured"} {
		if !bytes.Contains(b.Bytes(), []byte(want)) {
			t.Errorf("no %q in %s", want, &b)
		}
	}
	for _, n := range []*Network{nil, {Note: "no card"}} {
		if p.Network = n; !errors.Is(p.AddNetwork(rows), errNoNetwork) {
			t.Errorf("%+v", n)
		}
	}
}

// TestNetworkWithoutCard: there are bytes and no energy, and why not.
func TestNetworkWithoutCard(t *testing.T) {
	p := networked()
	p.Network.Card, p.Network.Note = "", "no energy is given: there is no card"
	want := "40 kB sent, 1005 B received, 72 B within the machine; " +
		"no energy is given: there is no card"
	if got := p.Network.Line(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if c := p.Network.Cells(&Traffic{Sent: 1, EnergyNJ: 5}); c != [4]string{"1 B", "0 B", "-",
		"0 B"} {
		t.Errorf("%q", c)
	}
}

func TestNetworkCheck(t *testing.T) {
	if err := networked().Check(); err != nil {
		t.Error(err)
	}
	for what, change := range map[string]func(*Transfer){
		"no such thread":  func(x *Transfer) { x.Thread = 3 },
		"below the first": func(x *Transfer) { x.Thread = -1 },
		"no such frame":   func(x *Transfer) { x.Frames = []int{8} },
	} {
		p := networked()
		change(&p.Network.Transfers[1])
		if err := p.Check(); !errors.Is(err, errMalformed) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
