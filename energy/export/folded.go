package export

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ebb-energy/ebb/energy/profile"
	"github.com/ebb-energy/ebb/internal/printable"
)

// Folded writes one line for each distinct stack: the thread's name and its frames from the outermost, with semicolons
// between, a blank, and the energy in uJ. Flame graph tools read it.
func Folded(w io.Writer, p *profile.Profile, rule int) error {
	sums := map[string]int64{}
	for i := range p.Stacks {
		s := &p.Stacks[i]
		sums[line(p, s)] += s.EnergyNJ[rule]
	}
	lines := make([]string, 0, len(sums))
	for l := range sums {
		lines = append(lines, l)
	}
	slices.Sort(lines)
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

func line(p *profile.Profile, s *profile.Stack) string {
	var b strings.Builder
	b.WriteString(printable.Frame(p.Threads[s.Thread].Comm))
	for _, f := range slices.Backward(s.Frames) {
		b.WriteByte(';')
		b.WriteString(printable.Frame(p.Frames[f].Name))
	}
	return b.String()
}
