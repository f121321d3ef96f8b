package methods

import (
	"slices"
	"testing"

	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/network"
)

// TestCallersWithoutRoom: the kernel has no room for some threads of a process and counts them
// together. So their callers are those of this rest, and no caller is lost.
func TestCallersWithoutRoom(t *testing.T) {
	sent := func(n uint64) network.Bytes { return network.Bytes{Sent: n} }
	counts := []network.Count{{PID: 1, TID: 0, Bytes: sent(30)}, {PID: 1, TID: 1, Bytes: sent(5)},
		{PID: 2, TID: 2, Bytes: sent(1)}}
	by := []network.CallerCount{{PID: 1, TID: 1, Number: 7, Bytes: sent(5)},
		{PID: 1, TID: 8, Number: 7, Bytes: sent(10)}, {PID: 1, TID: 9, Number: 7, Bytes: sent(20)},
		{PID: 2, TID: 2, Number: 7, Bytes: sent(1)}}
	got := movedBy(counts, by, &report.Network{})
	for i, want := range [][]network.CallerCount{by[1:3], by[:1], by[3:]} {
		if !slices.Equal(got[i].By, want) {
			t.Errorf("process %d, thread %d: %v, want %v", got[i].PID, got[i].TID, got[i].By, want)
		}
	}
}
