package nonscaling

import (
	"testing"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/hpc"
)

// TestLoneThread: while one thread alone has run, the time of its accesses on the chip does not
// scale. From the second thread on a part of it does, also when the first is alone again.
func TestLoneThread(t *testing.T) {
	const one, other = 7, 9
	bracketColumns := Columns{"stall_off", "occ_off", "occ_dram", hpc.SQRen, hpc.RFOOff,
		hpc.ROBEmpty, hpc.Insts, hpc.LoadsOff, hpc.LoadsDRAM, hpc.StoresDRAM}
	offcoreColumns := Columns{hpc.CritOff, hpc.CritOffX, hpc.CritDRAM, hpc.CritDRAMX,
		hpc.ROBEmpty, hpc.SQRen, hpc.DrainOff, hpc.Insts, hpc.SQOff, hpc.StoresOff}
	// At 1 GHz ten accesses took 200 ns, each a little more than a hit, and memory 40 ns.
	rows := map[string]struct {
		columns Columns
		values  []int64
	}{
		"bracket": {bracketColumns, []int64{240_000, 240_000, 40_000, 0, 0, 0, 0, 10, 0, 0}},
		"offcore": {offcoreColumns, []int64{386_667, 240_000, 40_000, 40_000, 0, 0, 0, 0, 0, 0}},
	}
	tried := 0
	for _, e := range Estimators() {
		row, ok := rows[e.Name]
		if !ok {
			continue
		}
		tried++
		for _, without := range []Rules{0, LoneThread} {
			s, err := e.New(Options{Burst: true, Latencies: DefaultLatencies(),
				Unit: epochs.Picosecond, Without: without}, row.columns)
			if err != nil {
				t.Fatal(err)
			}
			s.Rebase(1e9)
			for i, threads := range [][]epochs.TID{{epochs.NoThread}, {one},
				{one, epochs.NoThread}, {one, other}, {one}} {
				var ran []epochs.Row
				for _, id := range threads {
					ran = append(ran, epochs.Row{Thread: id, Values: row.values})
				}
				s.(Looker).Look(&epochs.Epoch{Dur: 1_000_000, Rows: ran})
				p, _ := s.Split(row.values, 1_000_000)
				alone := without == 0 && (i == 1 || i == 2)
				if all := p.Hi == 240_000; all != alone {
					t.Errorf("%s without %d, epoch %d: %d does not scale, alone %v", e.Name,
						without, i, p.Hi, alone)
				}
			}
		}
	}
	if tried != len(rows) {
		t.Errorf("%d estimators tried", tried)
	}
}

// TestLoneThreadsID: a thread that gets the id of the lone one when that has ended is a second one.
func TestLoneThreadsID(t *testing.T) {
	s := newSharing(0)
	e := epochs.Epoch{Dur: 1, Rows: []epochs.Row{{Thread: 7}},
		Ends: []epochs.End{{Kind: epochs.EndExit, Thread: 7, By: epochs.NoThread}}}
	if s.look(&e); !s.alone() {
		t.Error("a lone thread that ends is not alone")
	}
	e.Ends = nil
	if s.look(&e); s.alone() {
		t.Error("two threads with one id are one thread")
	}
}
