package table

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/devtest"
)

// readAll returns the epochs that r gives before its error, which is nil for io.EOF.
func readAll(r *Reader) (es []epochs.Epoch, err error) {
	for {
		e, err := r.Next()
		switch {
		case err == io.EOF:
			return es, nil
		case err != nil:
			return es, err
		}
		es = append(es, e.Clone())
	}
}

// differ describes the first difference between two lists of epochs.
func differ(got, want []epochs.Epoch) error {
	for i := range min(len(got), len(want)) {
		if g, w := fmt.Sprintf("%+v", got[i]), fmt.Sprintf("%+v", want[i]); g != w {
			return fmt.Errorf("epoch %d:\n got %s\nwant %s", i, g, w)
		}
	}
	if len(got) != len(want) {
		return fmt.Errorf("%d epochs, want %d", len(got), len(want))
	}
	return nil
}

// mustReadTable reads the table in the named file to its end.
func mustReadTable(t testing.TB, name string) ([]epochs.Epoch, *Reader) {
	t.Helper()
	r, err := NewReader(bytes.NewReader(mustRead(t, name)), name)
	if err != nil {
		t.Fatal(err)
	}
	es, err := readAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return es, r
}

func mustEqual(t testing.TB, got, want []epochs.Epoch) {
	t.Helper()
	if err := differ(got, want); err != nil {
		t.Fatal(err)
	}
}

func writeTable(t testing.TB, name string, h Header, counters []string, es []epochs.Epoch) {
	t.Helper()
	w, err := create(name, counters)
	if err != nil {
		t.Fatal(err)
	}
	for i := range es {
		if err := w.Write(&es[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(h); err != nil {
		t.Fatal(err)
	}
}

// sample is a short run with everything that a table can have.
func sample() (Header, []string, []epochs.Epoch) {
	h := Header{
		Workload: "sample <&>", Frequency: 2_400_500_000, TimeUnit: epochs.Picosecond,
		Extra: map[string]json.RawMessage{"seed": json.RawMessage(`7`),
			"args": json.RawMessage(`["a<b","\n"]`)},
	}
	return h, []string{"insts", "stall_dram"}, []epochs.Epoch{
		{ID: 0, Start: 0, Dur: 1500, Rows: []epochs.Row{{Thread: 0, Values: []int64{9, 8}}},
			Ends: []epochs.End{{Kind: epochs.EndStart, Thread: 1, By: 0},
				{Kind: epochs.EndWake, Thread: 2, By: epochs.NoThread}}},
		{ID: 1, Start: 1500, Dur: 500,
			Rows: []epochs.Row{{Thread: 0, Values: []int64{7, 0}},
				{Thread: 1, Values: []int64{1, 1 << 62}}, {Thread: 2, Values: []int64{0, 0}}},
			Ends: []epochs.End{{Kind: epochs.EndSleep, Thread: 0, By: epochs.NoThread}}},
		{ID: 2, Start: 2000, Dur: 40, Hole: true,
			Ends: []epochs.End{{Kind: epochs.EndWake, Thread: 0, By: epochs.NoThread}}},
		{ID: 3, Start: 2040, Dur: 3, Rows: []epochs.Row{{Thread: 0, Values: []int64{2, 2}}}},
		{ID: 4, Start: 2043, Dur: 1, Rows: []epochs.Row{{Thread: 1, Values: []int64{2, 2}}},
			Ends: []epochs.End{
				{Kind: epochs.EndRun, Thread: epochs.NoThread, By: epochs.NoThread}}},
	}
}

func TestGolden(t *testing.T) {
	h, counters, es := sample()
	for _, name := range []string{"sample.csv", "sample.csv.gz"} {
		kept := filepath.Join("testdata", name)
		if devtest.Updating() {
			writeTable(t, kept, h, counters, es)
		}
		made := filepath.Join(t.TempDir(), name)
		writeTable(t, made, h, counters, es)
		got, want := mustRead(t, made), mustRead(t, kept)
		if !strings.HasSuffix(name, ".gz") && !bytes.Equal(got, want) {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
		}
		for _, file := range []string{made, kept} {
			read, r := mustReadTable(t, file)
			mustEqual(t, read, es)
			if err := r.CheckTotals(); err != nil {
				t.Error(err)
			}
			wantHeader := h
			wantHeader.Total, wantHeader.Threads, wantHeader.Epochs = 2044, 3, 5
			if !reflect.DeepEqual(r.Header(), wantHeader) || !slices.Equal(r.Columns(), counters) {
				t.Errorf("%s: %+v %v", file, r.Header(), r.Columns())
			}
		}
		// The same epochs give the same bytes.
		writeTable(t, made, h, counters, es)
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

func TestGapsAndUnknownColumns(t *testing.T) {
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
	mustEqual(t, got, []epochs.Epoch{
		{ID: 2, Start: 10, Dur: 30, Rows: []epochs.Row{{Thread: 5, Values: []int64{100, 1}}},
			Ends: []epochs.End{{Kind: epochs.EndSleep, Thread: 5, By: epochs.NoThread}}},
		{ID: 7, Start: 40, Dur: 10,
			Ends: []epochs.End{{Kind: epochs.EndWake, Thread: 5, By: epochs.NoThread}}},
		{ID: -1, Start: 50, Dur: 50},
		{ID: 9, Start: 100, Dur: 50, Rows: []epochs.Row{{Thread: 5, Values: []int64{200, 3}}},
			Ends: []epochs.End{
				{Kind: epochs.EndRun, Thread: epochs.NoThread, By: epochs.NoThread}}},
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
