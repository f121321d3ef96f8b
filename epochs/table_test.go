package epochs

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/golden"
	"github.com/ebb-energy/ebb/units"
)

// readAll returns the epochs that r gives before its error, which is nil for io.EOF.
func readAll(r *Reader) ([]Epoch, error) {
	col := &collector{}
	for {
		e, err := r.Next()
		switch {
		case err == io.EOF:
			return col.epochs, nil
		case err != nil:
			return col.epochs, err
		}
		col.emit(e)
	}
}

func writeTable(t testing.TB, name string, h Header, counters []string, epochs []Epoch) {
	t.Helper()
	w, err := create(name, counters)
	if err != nil {
		t.Fatal(err)
	}
	for i := range epochs {
		if err := w.Write(&epochs[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(h); err != nil {
		t.Fatal(err)
	}
}

// sample is a short run with everything that a table can have.
func sample() (Header, []string, []Epoch) {
	h := Header{
		Workload: "sample <&>", Frequency: 2_400_500_000, TimeUnit: Picosecond,
		Extra: map[string]json.RawMessage{"seed": json.RawMessage(`7`),
			"args": json.RawMessage(`["a<b","\n"]`)},
	}
	return h, []string{"insts", "stall_dram"}, []Epoch{
		{ID: 0, Start: 0, Dur: 1500, Rows: []Row{{Thread: 0, Values: []int64{9, 8}}},
			Ends: []End{{Kind: EndStart, Thread: 1, By: 0},
				{Kind: EndWake, Thread: 2, By: NoThread}}},
		{ID: 1, Start: 1500, Dur: 500,
			Rows: []Row{{Thread: 0, Values: []int64{7, 0}},
				{Thread: 1, Values: []int64{1, 1 << 62}}, {Thread: 2, Values: []int64{0, 0}}},
			Ends: []End{{Kind: EndSleep, Thread: 0, By: NoThread}}},
		{ID: 2, Start: 2000, Dur: 40, Ends: []End{{Kind: EndWake, Thread: 0, By: NoThread}},
			Hole: true},
		{ID: 3, Start: 2040, Dur: 3, Rows: []Row{{Thread: 0, Values: []int64{2, 2}}}},
		{ID: 4, Start: 2043, Dur: 1, Rows: []Row{{Thread: 1, Values: []int64{2, 2}}},
			Ends: []End{{Kind: EndRun, Thread: NoThread, By: NoThread}}},
	}
}

func TestTableGolden(t *testing.T) {
	h, counters, epochs := sample()
	for _, name := range []string{"sample.csv", "sample.csv.gz"} {
		kept := filepath.Join("testdata", name)
		if golden.Update() {
			writeTable(t, kept, h, counters, epochs)
		}
		made := filepath.Join(t.TempDir(), name)
		writeTable(t, made, h, counters, epochs)
		got, want := mustRead(t, made), mustRead(t, kept)
		if !strings.HasSuffix(name, ".gz") && !bytes.Equal(got, want) {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
		}
		for _, file := range []string{made, kept} {
			r, err := Open(file)
			if err != nil {
				t.Fatal(err)
			}
			read, err := readAll(r)
			if err != nil {
				t.Fatal(err)
			}
			mustEqual(t, read, epochs)
			if err := r.CheckTotals(); err != nil {
				t.Error(err)
			}
			wantHeader := h
			wantHeader.Total, wantHeader.Threads, wantHeader.Epochs = 2044, 3, 5
			if !reflect.DeepEqual(r.Header(), wantHeader) || !slices.Equal(r.Columns(), counters) {
				t.Errorf("%s: %+v %v", file, r.Header(), r.Columns())
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
		// The same epochs give the same bytes.
		writeTable(t, made, h, counters, epochs)
		if again := mustRead(t, made); !bytes.Equal(got, again) {
			t.Errorf("%s is written in two ways", name)
		}
	}
}

func mustRead(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestTableRoundTrip(t *testing.T) {
	dir := t.TempDir()
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 8))
		s := newSchedule(rng)
		begin := s.now
		for range rng.IntN(300) {
			s.step()
		}
		events, _ := ordered(spoil(rng, s.arrivals(100)), s.now)
		n := rng.IntN(MaxCounters + 1)
		a, col := newTestAssembler(t, Config{Counters: n})
		a.Begin(units.Instant(begin))
		feed(a, events)
		a.Finish(units.Instant(s.now + 20))
		name := filepath.Join(dir, []string{"t.csv", "t.csv.gz"}[rng.IntN(2)])
		counters := []string{"a", "b", "c", "d", "e", "f"}[:n]
		writeTable(t, name, Header{Frequency: 1e9, TimeUnit: Nanosecond}, counters, col.epochs)
		r, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := readAll(r)
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		for i := range got {
			if len(got[i].Rows) == 0 {
				got[i].Rows = nil
			}
		}
		for _, e := range col.epochs { // not in a table
			for i := range e.Rows {
				e.Rows[i].Uncounted = 0
			}
		}
		mustEqual(t, got, col.epochs)
		if err := r.CheckTotals(); err != nil || r.Header().Total != s.now+20-begin {
			t.Fatalf("seed %d: %v, total %d, want %d", seed, err, r.Header().Total, s.now+20-begin)
		}
	}
}

func TestTableGapsAndUnknownColumns(t *testing.T) {
	const text = "# {\"freq_mhz\":1000,\"time_unit\":\"ns\",\"total_ns\":140.0,\"epochs\":3}\r\n" +
		"tid,comm,epoch,dur,t_start,end_events,insts,odd\n" +
		"5,java,2,30,10,W5,100,1\n" +
		"-1,,7,10,40,A5,0,0\n" +
		"5,java,9,50,100,F,200,3\n"
	r, err := NewReader(strings.NewReader(text), "t.csv")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"insts", "odd"}; !slices.Equal(r.Columns(), want) {
		t.Errorf("columns %v, want %v", r.Columns(), want)
	}
	got, err := readAll(r)
	if err != nil {
		t.Fatal(err)
	}
	mustEqual(t, got, []Epoch{
		{ID: 2, Start: 10, Dur: 30, Rows: []Row{{Thread: 5, Values: []int64{100, 1}}},
			Ends: []End{{Kind: EndSleep, Thread: 5, By: NoThread}}},
		{ID: 7, Start: 40, Dur: 10, Ends: []End{{Kind: EndWake, Thread: 5, By: NoThread}}},
		{ID: -1, Start: 50, Dur: 50},
		{ID: 9, Start: 100, Dur: 50, Rows: []Row{{Thread: 5, Values: []int64{200, 3}}},
			Ends: []End{{Kind: EndRun, Thread: NoThread, By: NoThread}}},
	})
	if err := r.CheckTotals(); err != nil {
		t.Error(err)
	}
	short, err := NewReader(strings.NewReader(text), "t.csv")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := short.Next(); err != nil {
		t.Fatal(err)
	}
	if err := short.CheckTotals(); !errors.Is(err, ErrTotals) {
		t.Errorf("one epoch of three: %v", err)
	}
}
