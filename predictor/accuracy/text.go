package accuracy

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// Text writes the result as tables for a terminal.
func (r *Result) Text(w io.Writer) error {
	var b strings.Builder
	for _, t := range r.pairTables() {
		t.write(&b)
	}
	for i := range r.Sets {
		s := &r.Sets[i]
		for p, pair := range r.Pairs {
			fmt.Fprintf(&b, "%s: %s, error in %%\n", s.title(), pair)
			fmt.Fprintf(&b, "%-22s", "")
			for _, name := range s.Workloads {
				fmt.Fprintf(&b, " %9.9s", name)
			}
			fmt.Fprintf(&b, "%10s%9s%9s\n", "mean abs", "worst", "paper")
			for j := range len(r.Models) + 1 {
				name, paper := r.label(j, pair)
				fmt.Fprintf(&b, "%-22s", name)
				for _, e := range s.Errors[p][j] {
					fmt.Fprintf(&b, "%10s", number(e, "%+.1f"))
				}
				mean, worst := s.Mean(p, j)
				fmt.Fprintf(&b, "%10s%9s%9s\n", number(mean, "%.2f"), number(worst, "%.1f"), paper)
			}
			b.WriteByte('\n')
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// label returns the name of row j and the paper's figure for it, if there is one.
func (r *Result) label(j int, p Pair) (name, paper string) {
	if j == len(r.Models) {
		return boundName, ""
	}
	m := r.Models[j]
	var v float64
	switch first := Pairs(); p {
	case first[0]:
		v = m.PaperUp
	case first[1]:
		v = m.PaperDown
	}
	if v > 0 {
		paper = fmt.Sprintf("%.0f", v)
	}
	return m.Name, paper
}

func number(v float64, format string) string {
	if math.IsNaN(v) {
		return "-"
	}
	return fmt.Sprintf(format, v)
}

func (s *Set) title() string {
	if s.Name == "." {
		return "ordinary"
	}
	return s.Name
}

func (p Pair) short() string {
	return fmt.Sprintf("%v→%v", float64(p.From)/1e9, float64(p.To)/1e9)
}

func (p Pair) String() string {
	return fmt.Sprintf("%v to %v GHz", float64(p.From)/1e9, float64(p.To)/1e9)
}
