package export

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// Folded writes one line for each distinct stack: the thread's name and its frames from the
// outermost, with semicolons between, a blank, and the energy in uJ, or without joules the CPU time
// in us. Flame graph tools read it.
//
// Names are repeated in every line, so that a report becomes many times as large: the stacks with
// the least energy beyond maxFolded bytes are one line for each thread's name, with the frame
// "(other)".
func Folded(w io.Writer, p *profile.Profile, rule int) error {
	order := make([]int, len(p.Stacks))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order,
		func(a, b int) int {
			return cmp.Compare(p.Stacks[b].EnergyNJ[rule],
				p.Stacks[a].EnergyNJ[rule])
		})
	sums, bytes := map[string]int64{}, 0
	for _, i := range order {
		s := &p.Stacks[i]
		var l string
		if bytes < maxFolded {
			l = line(p, s)
		} else {
			l = printable.Frame(p.Ran(s)) + ";" + other
		}
		if _, ok := sums[l]; !ok {
			bytes += len(l)
		}
		sums[l] += s.EnergyNJ[rule]
	}
	lines := slices.Sorted(maps.Keys(sums))
	b := bufio.NewWriter(w)
	for _, l := range lines {
		if uj := (sums[l] + 500) / 1000; uj > 0 {
			fmt.Fprintf(b, "%s %d\n", l, uj)
		}
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("write folded stacks: %w", err)
	}
	return nil
}

// maxFolded bounds, approximately, the bytes of folded stacks that are written.
const maxFolded = 32 << 20

func line(p *profile.Profile, s *profile.Stack) string {
	var b strings.Builder
	b.WriteString(printable.Frame(p.Ran(s)))
	for _, f := range slices.Backward(s.Frames) {
		b.WriteByte(';')
		b.WriteString(printable.Frame(p.Frames[f].Name))
	}
	return b.String()
}
