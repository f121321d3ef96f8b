package report

import (
	"bytes"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"strings"
	"testing"
)

func talkers() *Network {
	bytes := func(sent, received, loop uint64, nj int64) NetworkBytes {
		return NetworkBytes{SentBytes: sent, ReceivedBytes: received, LoopbackSentBytes: loop,
			EnergyNJ: &nj, Source: Modelled}
	}
	return &Network{
		LinkMbps: 1000, LinkSource: "given", CardW: 1.1,
		Processes: []NetworkProcess{
			{PID: 7, Comm: "quiet", NetworkBytes: bytes(10, 0, 0, 88),
				Threads: []NetworkThread{{TID: 7, Comm: "quiet",
					NetworkBytes: bytes(10, 0, 0, 88)}}},
			{PID: 9, Comm: "busy", NetworkBytes: bytes(1_250_000, 5000, 12_345_678, 11_044_000),
				Threads: []NetworkThread{
					{TID: 0, Comm: "pool", NetworkBytes: bytes(0, 5000, 0, 44_000)},
					{TID: 10, Comm: "pool", NetworkBytes: bytes(1_250_000, 0, 12_345_678,
						11_000_000)},
				}},
		},
	}
}

// TestNetworkText: each process has a line with where its energy comes from, the busiest first; the
// table has threads.
func TestNetworkText(t *testing.T) {
	var b bytes.Buffer
	r := &Report{Network: talkers()}
	r.WriteSummary(&b)
	busy := "network     busy (process 9): 1.25 MB sent, 5000 B received, " +
		"11.04 mJ modelled (1.1 W at 1000 Mbit/s; not measured); " +
		"12.35 MB sent and 0 B received within the machine"
	quiet := "quiet (process 7): 10 B sent, 0 B received, " +
		"88 nJ modelled (1.1 W at 1000 Mbit/s; not measured)\n"
	if i, j := strings.Index(b.String(), busy), strings.Index(b.String(), quiet); i < 0 || j < i {
		t.Errorf("the summary is\n%s", b.String())
	}
	b.Reset()
	if err := r.Network.WriteText(&b, 1, printable.All); err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{
		"energy modelled, not measured: 1.1 W while bytes are on the wire at 1000 Mbit/s (given)",
		"",
		"unit                  sent  received  modelled  sent within  received within",
		"busy (process 9)   1.25 MB    5000 B  11.04 mJ     12.35 MB              0 B",
		"  pool (10)        1.25 MB       0 B     11 mJ     12.35 MB              0 B",
		"  (1 more thread)",
		"(1 more process)",
		"",
	}, "\n")
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
	b.Reset()
	r.Network = &Network{Note: "no energy is given: why"}
	r.WriteSummary(&b)
	if s := b.String(); !strings.Contains(s, "nothing was sent or received") ||
		!strings.Contains(s, "no energy is given: why") || strings.Contains(s, "modelled (") {
		t.Errorf("the summary is\n%s", s)
	}
}
