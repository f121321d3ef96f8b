package table

import (
	"os"
	"testing"

	"github.com/ebb-energy/ebb/epochs"
)

// BenchmarkTable measures writing and reading a table of 4 threads and 6 counters, without
// compression.
func BenchmarkTable(b *testing.B) {
	const n = 1000
	counters := []string{"a", "b", "c", "d", "e", "f"}
	name := b.TempDir() + "/t.csv"
	write := func() {
		list := []epochs.Row{{Thread: 1}, {Thread: 2}, {Thread: 3}, {Thread: 4}}
		for i := range list {
			list[i].Values = []int64{2_400_000, 3_000_000, 100_000, 300_000, 70_000, 50_000}
		}
		w, err := create(name, counters)
		if err != nil {
			b.Fatal(err)
		}
		for i := range n {
			if err := w.Write(&epochs.Epoch{Start: epochs.Ticks(i) * 700, Dur: 700, Rows: list,
				Ends: []epochs.End{{Kind: epochs.EndWake, Thread: 2, By: 1}}}); err != nil {
				b.Fatal(err)
			}
		}
		if err := w.Close(Header{Frequency: 1e9, TimeUnit: epochs.Nanosecond}); err != nil {
			b.Fatal(err)
		}
	}
	rows := func(b *testing.B) {
		b.ReportMetric(float64(b.N*n*4)/b.Elapsed().Seconds(), "rows/s")
	}
	b.Run("write", func(b *testing.B) {
		for b.Loop() {
			write()
		}
		rows(b)
	})
	b.Run("read", func(b *testing.B) {
		write()
		b.ReportAllocs()
		for b.Loop() {
			f, err := os.Open(name)
			if err != nil {
				b.Fatal(err)
			}
			r, err := NewReader(f, name)
			if err != nil {
				b.Fatal(err)
			}
			for range n {
				if _, err := r.Next(); err != nil {
					b.Fatal(err)
				}
			}
			if err := f.Close(); err != nil {
				b.Fatal(err)
			}
		}
		rows(b)
	})
}
