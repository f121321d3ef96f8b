package methods

import (
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/app/config"
	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/internal/network"
)

const gigabit = `
file 0444 class/net/lo/operstate
	unknown
file 0444 class/net/veth0/operstate
	up
file 0444 class/net/veth0/speed
	10000
file 0444 class/net/eth0/device/vendor
	0x8086
file 0444 class/net/eth0/operstate
	up
file 0444 class/net/eth0/speed
	1000
`

// TestCard: the card is the configuration's; its speed is the kernel's where that is clear.
func TestCard(t *testing.T) {
	second := strings.NewReplacer("eth0", "eth1").Replace(gigabit)
	for _, tt := range []struct {
		name, tree string
		mbps       int
		power      string
		want       int
		source     string
		problem    string
	}{
		{"given", gigabit, 100, "1W", 100, "given", ""},
		{"the kernel's", gigabit, 0, "1W", 1000, "class/net/eth0/speed", ""},
		{"no power", gigabit, 100, "0W", 0, "", "card_power"},
		{"down", strings.Replace(gigabit, "	up\nfile 0444 class/net/eth0/speed",
			"	down\nfile 0444 class/net/eth0/speed", 1), 0, "1W", 0, "",
			"no network card is up"},
		{"unknown speed", strings.Replace(gigabit, "	1000\n", "	-1\n", 1), 0, "1W", 0, "",
			"does not know the speed of eth0"},
		{"two cards", gigabit + second[strings.Index(second, "file 0444 class/net/eth1/device"):],
			0, "1W", 0, "", "several network cards are up (eth0, eth1)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fs, err := sysfs.Open(devtest.Tree(t, tt.tree))
			if err != nil {
				t.Fatal(err)
			}
			defer fs.Close()
			c := config.Default()
			c.LinkMbps = tt.mbps
			if err := c.CardPower.Set(tt.power); err != nil {
				t.Fatal(err)
			}
			card, source, err := cardOf(&c, fs)
			if tt.problem != "" {
				if err == nil || !strings.Contains(err.Error(), tt.problem) || card != nil {
					t.Errorf("%v, %v; want one about %q", card, err, tt.problem)
				}
				return
			}
			if err != nil || card.Mbps != tt.want || source != tt.source {
				t.Errorf("%+v from %q, %v; want %d from %q", card, source, err, tt.want, tt.source)
			}
		})
	}
}

// TestTrafficOfProcesses: processes are the sums of their threads, in bytes and in energy; loopback
// costs nothing.
func TestTrafficOfProcesses(t *testing.T) {
	counts := []network.Count{
		{PID: 10, TID: 0, Comm: "pool", Bytes: network.Bytes{Sent: 1}},
		{PID: 10, TID: 11, Comm: "pool",
			Bytes: network.Bytes{Sent: 125_000_000, Received: 125_000_000, LoopSent: 9}},
		{PID: 20, TID: 20, Comm: "other", Bytes: network.Bytes{LoopSent: 5, LoopReceived: 7}},
	}
	card := &network.Card{Mbps: 1000, Power: 1.1}
	n := summarised(counts, card, []report.Thread{{TID: 10, PID: 10, Comm: "server"}})
	if len(n.Processes) != 2 {
		t.Fatalf("%+v", n)
	}
	server, other := n.Processes[0], n.Processes[1]
	if server.PID != 10 || server.Comm != "server" || server.SentBytes != 125_000_001 ||
		server.ReceivedBytes != 125_000_000 || server.LoopbackSentBytes != 9 {
		t.Errorf("%+v", server)
	}
	// 2 s at 1.1 W, and 8 ns.
	if server.EnergyNJ == nil || *server.EnergyNJ != 2_200_000_009 ||
		server.Source != report.Modelled {
		t.Errorf("energy %v of %q", server.EnergyNJ, server.Source)
	}
	var sum int64
	for _, th := range server.Threads {
		sum += *th.EnergyNJ
	}
	if len(server.Threads) != 2 || sum != *server.EnergyNJ {
		t.Errorf("threads %+v add up to %d nJ, the process has %d", server.Threads, sum,
			*server.EnergyNJ)
	}
	if other.Comm != "other" || *other.EnergyNJ != 0 || other.LoopbackReceivedBytes != 7 {
		t.Errorf("%+v", other)
	}
	if n := summarised(counts, nil, nil); n.Processes[0].EnergyNJ != nil ||
		n.Processes[0].Source != "" || n.Processes[0].Threads[1].EnergyNJ != nil {
		t.Errorf("without a card there is energy: %+v", n.Processes[0])
	}
}
