package nonscaling

import (
	"testing"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/hpc"
)

// TestOwnLimit: the queue is the core's own as often as it is full while nothing drains, but no
// more than it lets renaming go on.
func TestOwnLimit(t *testing.T) {
	for _, tt := range []struct {
		name           string
		full           int64
		draining, held int64
		want           float64
	}{
		{"full only while stores drain", 400, 400, 100, 0},
		{"full for a tenth of the rest", 460, 400, 100, 0.1},
		{"full for all of the rest, and renaming goes on for half", 1000, 400, 200, 0.5},
		{"full in the rest, but renaming never goes on", 700, 400, 400, 0},
		{"held up for longer than full", 700, 400, 500, 0},
		{"nothing drains", 700, 0, 0, 0},
		{"it drains all the time", 1000, 1000, 400, 0},
		{"less full than draining", 300, 400, 100, 0},
	} {
		o := newOwnLimit(Columns{hpc.SQFull}, 0)
		if got := o.share([]int64{tt.full}, 1000, tt.draining, tt.held); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
	for _, o := range []ownLimit{newOwnLimit(Columns{hpc.SQRen}, 0),
		newOwnLimit(Columns{hpc.SQFull}, OwnLimit)} {
		if got := o.share([]int64{1000}, 1000, 400, 200); got != 0 {
			t.Errorf("without the column or the rule: %v", got)
		}
	}
}

// TestWorkingBehindQueue: of the time with instructions in flight, what refills the core after each
// line is no work of its own; of the rest its share is.
func TestWorkingBehindQueue(t *testing.T) {
	m := DefaultLatencies() // 15 cycles of pipeline
	for _, tt := range []struct {
		name        string
		held, empty int64
		lines       float64
		own         float64
		want        int64
	}{
		{"two lines refill the core for 23 cycles each", 200, 100, 2, 0.5, 27},
		{"all of it", 200, 100, 2, 1, 54},
		{"the core's share is none", 200, 100, 2, 0, 0},
		{"refilling takes all", 200, 100, 5, 1, 0},
		{"the core was empty", 200, 200, 0, 1, 0},
		{"empty for longer than held up", 200, 300, 0, 1, 0},
	} {
		if got := m.working(tt.held, tt.empty, tt.lines, 8, 1, tt.own); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

// TestOffcoreOwnLimit: a thread whose queue is full for a quarter of the time without a store
// outstanding waits less for stores, and hides less of its work behind them at a lower clock; at a
// higher one nothing is known to change.
func TestOffcoreOwnLimit(t *testing.T) {
	columns := Columns{hpc.CritOff, hpc.CritOffX, hpc.CritDRAM, hpc.CritDRAMX, hpc.ROBEmpty,
		hpc.SQRen, hpc.DrainOff, hpc.Insts, hpc.SQOff, hpc.StoresOff, hpc.StoresDRAM, hpc.RFOOff,
		hpc.RFODRAM, hpc.SQFull, hpc.SQNoStall}
	// At 1 GHz a full queue stopped renaming for 300 ns of 1000, 100 of them with an empty core,
	// and was full for 600 ns while stores were outstanding.
	row := []int64{0, 0, 0, 0, 100, 300, 0, 100, 600, 8, 8, 800, 800, 0, 0}
	split := func(full int64, without Rules) Parts {
		s, err := Estimators()[0].New(Options{Burst: true, Latencies: DefaultLatencies(),
			Unit: epochs.Nanosecond, Without: without}, columns)
		if err != nil {
			t.Fatal(err)
		}
		s.Rebase(1e9)
		row[len(row)-2], row[len(row)-1] = full, full
		p, _ := s.Split(row, 1000)
		return p
	}
	m := DefaultLatencies()
	was, is := split(700, OwnLimit), split(700, 0)
	// One line refills the core for 23 cycles; of the other 177 ns a quarter is work.
	if was.Stall != 300 || was.Own != 0 || is.Stall != 256 || is.Own != (800-256)/4 {
		t.Errorf("without the rule %+v, with it %+v", was, is)
	}
	if none := split(600, 0); none != was {
		t.Errorf("full only while stores drain: %+v, want %+v", none, was)
	}
	before, after := was.Line(&m), is.Line(&m)
	if b, a := before.At(4, 0), after.At(4, 0); !(a > b*1.01) {
		t.Errorf("at a quarter of the clock %v, without the rule %v", a, b)
	}
	own := was
	own.Own = own.Out - own.Stall // all of it
	free := own.Line(&m)
	if b, a := before.At(0.5, 0), free.At(0.5, 0); a != b {
		t.Errorf("at twice the clock %v, without the rule %v", a, b)
	}
	if got, want := free.At(1.1, 0), 1000+0.1*float64(1000-was.Stall+was.Look); got < want-1e-6 {
		t.Errorf("with nothing hidden %v, want %v", got, want)
	}
}
