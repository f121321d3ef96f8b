//go:build !race

package workload

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/simtest"
)

// measured is a program's runs at 1 and at 4 GHz.
type measured struct {
	low, high *simtest.Truth
}

func measure(t *testing.T, w simtest.Workload, seed uint64) measured {
	return measured{static(t, w, seed, ghz), static(t, w, seed, 4*ghz)}
}

func ms(d time.Duration) float64 { return d.Seconds() * 1000 }

// ratio is the run's time at 1 GHz over that at 4 GHz: 4 when all time scales, 1 when none does.
func (m measured) ratio() float64 { return m.low.Wall.Seconds() / m.high.Wall.Seconds() }

// scaling is the part of the time at 4 GHz that scales, if the two-part view of the paper held.
func (m measured) scaling() float64 { return (m.ratio() - 1) / 3 }

func bandwidthOf(r *simtest.Truth) float64 {
	return float64(r.DRAMReads+r.DRAMWrites) * 64 / float64(r.Wall.Nanoseconds())
}

func rowOf(name string, m measured) string {
	epochs := func(r *simtest.Truth) float64 { return float64(r.Epochs) / r.Wall.Seconds() }
	cores := func(r *simtest.Truth) float64 { return r.Busy.Seconds() / r.Wall.Seconds() }
	return fmt.Sprintf("%-15s %8.1f %7.1f %5.1f %5.0f | %8.1f %7.1f | %5.2f %5.2f | "+
		"%8.0f %8.0f | %5.2f %5.2f | %6.0f %5.2f %5.2f",
		name, ms(m.low.Wall), ms(m.low.GCTime), 100*m.low.GCTime.Seconds()/m.low.Wall.Seconds(),
		float64(m.low.Collections), ms(m.high.Wall), ms(m.high.GCTime), m.ratio(), m.scaling(),
		epochs(m.low), epochs(m.high), bandwidthOf(m.low), bandwidthOf(m.high),
		float64(m.low.Allocated)/mib, cores(m.low), cores(m.high))
}

const header = "                    1 GHz:  ms  GC ms  GC%   GCs |  4 GHz: ms GC ms | " +
	"T1/T4 s(4)  | epochs/s: 1, 4    | GB/s 1, 4   |  alloc MB, cores 1, 4"

// TestCalibration holds the seven against the paper's Table 1, and prints other figures that
// characterise them. As the paper does, it takes the mean of four runs.
func TestCalibration(t *testing.T) {
	devtest.Long(t)
	const runs = 4
	var table strings.Builder
	fmt.Fprintln(&table, header)
	epochs := map[string]float64{}
	for _, w := range Paper() {
		want := table1[w.Name]
		var total, gc []float64
		for seed := range uint64(runs) {
			m := measure(t, w, seed+1)
			total, gc = append(total, ms(m.low.Wall)), append(gc, ms(m.low.GCTime))
			if seed == 0 {
				fmt.Fprintln(&table, rowOf(w.Name, m))
				epochs[w.Name] = float64(m.low.Epochs) / m.low.Wall.Seconds()
			}
		}
		meanTotal, devTotal := spread(total)
		meanGC, devGC := spread(gc)
		fmt.Fprintf(&table, "  mean of %d runs %7.1f (Table 1: %4.0f, +-%.1f %%)  "+
			"%5.1f (%3.0f, +-%.1f %%)\n",
			runs, meanTotal, want.totalMs, 100*devTotal, meanGC, want.gcs, 100*devGC)
		if math.Abs(meanTotal/want.totalMs-1) > 0.05 {
			t.Errorf("%s: %.1f ms at 1 GHz, the paper has %.0f", w.Name, meanTotal, want.totalMs)
		}
		if math.Abs(meanGC/want.gcs-1) > 0.10 {
			t.Errorf("%s: %.1f ms of collection at 1 GHz, the paper has %.0f", w.Name, meanGC,
				want.gcs)
		}
		if memory := meanGC*10 > meanTotal; memory != want.memory {
			t.Errorf("%s: memory-intensive is %v by its share of collection, the paper has %v",
				w.Name, memory, want.memory)
		}
	}
	t.Log("\n" + table.String())
	for name, n := range epochs {
		if name != "avrora" && n*2 > epochs["avrora"] {
			t.Errorf("%s has %.0f epochs a second, avrora, which is to have by far the most, %.0f",
				name, n, epochs["avrora"])
		}
	}
}

// TestMore prints the same for the other programs.
func TestMore(t *testing.T) {
	var table strings.Builder
	fmt.Fprintln(&table, header)
	for _, w := range programs() {
		if _, of := table1[w.Name]; of {
			continue
		}
		m := measure(t, w, 1)
		fmt.Fprintln(&table, rowOf(w.Name, m))
		if r := m.ratio(); r < 0.99 || r > 4.1 {
			t.Errorf("%s: %.2f times as long at 1 GHz as at 4", w.Name, r)
		}
	}
	t.Log("\n" + table.String())
}
