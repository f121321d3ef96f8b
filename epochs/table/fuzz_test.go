package table

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/ebb-energy/ebb/epochs"
)

// FuzzReader feeds a Reader anything; what it takes, a Writer can write and a Reader read again.
func FuzzReader(f *testing.F) {
	f.Add([]byte(goodTable))
	f.Add(zipped(goodTable))
	rng := rand.New(rand.NewPCG(1, 9))
	for range 4 {
		b := []byte(goodTable)
		b[rng.IntN(len(b))] = byte(rng.IntN(256))
		f.Add(b)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := NewReader(bytes.NewReader(data), "t.csv")
		if err != nil {
			return
		}
		es, err := readAll(r)
		if err != nil {
			if where := (*Error)(nil); !errors.As(err, &where) {
				t.Fatalf("no place in %v", err)
			}
		}
		end := epochs.Ticks(-1)
		for _, e := range es {
			if e.Start < end || e.Dur < 0 || e.Start+e.Dur < e.Start {
				t.Fatalf("%+v after %d", e, end)
			}
			end = e.Start + e.Dur
		}
		rewrite(t, dir+"/t.csv", r, es)
	})
}

func rewrite(t *testing.T, name string, r *Reader, es []epochs.Epoch) {
	w, err := create(name, r.Columns())
	if err != nil {
		return // a name that ends in \r, which a Writer refuses
	}
	defer w.Discard()
	var want []epochs.Epoch
	for _, e := range es {
		if err := w.Write(&e); errors.Is(err, ErrEpoch) {
			return // threads that are not in order
		} else if err != nil {
			t.Fatal(err)
		}
		if e.Dur > 0 {
			e.ID = len(want)
			want = append(want, e)
		}
	}
	if err := w.Close(r.Header()); err != nil {
		t.Fatal(err)
	}
	got, again := mustReadTable(t, name)
	if err := again.CheckTotals(); err != nil {
		t.Fatal(err)
	}
	for _, list := range [][]epochs.Epoch{got, want} {
		for i := range list {
			if len(list[i].Rows) == 0 {
				list[i].Rows = nil
			}
		}
	}
	mustEqual(t, got, want)
}
