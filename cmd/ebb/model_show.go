package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/printable"
	"github.com/ebb-energy/ebb/powermodel"
)

func newModelShow(std command.Stdio) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show FILE",
		Short: "print what a model is, where it comes from and how far it misses",
		Long: `Prints a power model's learner and inputs with the ranges that they were trained
in, the machine and the programs that it was trained on, and how far it missed
each of these programs when it had not seen it.`,
		Example: `  ebb model show web1.ebbmodel`,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return command.Usagef("give one power model, not %d", len(args))
			}
			m, err := readModel(args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return command.WriteJSON(std.Out, shownModels(m))
			}
			for ; m != nil; m = m.Simpler {
				if err := printModel(std.Out, m); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// shownModel is a model in the output of show. Null stands for what is unknown.
type shownModel struct {
	Learner    string                    `json:"learner"`
	Tier       string                    `json:"tier"`
	Provenance powermodel.Provenance     `json:"provenance"`
	Inputs     []shownInput              `json:"inputs"`
	Interval   *powermodel.Interval      `json:"interval"`
	Programs   []powermodel.ProgramError `json:"programs"`
}

type shownInput struct {
	Name string   `json:"name"`
	Low  *float64 `json:"low"`
	High *float64 `json:"high"`
}

func shownModels(m *powermodel.Model) (out []shownModel) {
	for ; m != nil; m = m.Simpler {
		s := shownModel{Learner: m.Learner, Tier: m.Tier, Provenance: m.Provenance,
			Interval: m.Interval, Programs: m.Programs}
		for _, in := range m.Inputs {
			s.Inputs = append(s.Inputs, shownInput{in.Name, known(in.Low), known(in.High)})
		}
		out = append(out, s)
	}
	return out
}

// known is nil for NaN.
func known(x float64) *float64 {
	if math.IsNaN(x) {
		return nil
	}
	return &x
}

func printModel(out io.Writer, m *powermodel.Model) error {
	tier := ""
	if m.Tier != "" {
		tier = fmt.Sprintf(" of kind %q", m.Tier)
	}
	printable.Fprintf(out, "learner %s, %d inputs%s\n\n", m.Learner, len(m.Inputs), tier)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	p := m.Provenance
	for _, line := range [][2]string{
		{"machine", p.CPUModel}, {"CPUs", positive(p.CPUs)}, {"kernel", p.Kernel},
		{"JVM", p.JVM}, {"meter", p.Meter}, {"trained", p.Date},
		{"intervals", positive(p.Intervals)}, {"programs", strings.Join(p.Programs, ", ")},
	} {
		if line[1] != "" {
			printable.Fprintf(w, "%s\t%s\n", line[0], line[1])
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if i := m.Interval; i == nil {
		fmt.Fprintln(out, "\nHow far it misses a program that it has not seen is unknown.")
	} else {
		fmt.Fprintf(out, "\n%.0f %% interval for a program that it has not seen: +-%.1f %% on "+
			"average,\nfrom %d programs left out in turn\n", 100*i.Confidence, 100*i.HalfWidth,
			i.Programs)
	}
	fmt.Fprintln(out)
	w = tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	if len(m.Programs) > 0 {
		fmt.Fprintln(w, "left out\theld\t  program")
		for _, e := range m.Programs {
			printable.Fprintf(w, "%+.1f%%\t%.0f%%\t  %s\n", 100*e.Total, 100*e.Held, e.Program)
		}
		fmt.Fprintln(w, "\t\t")
	}
	fmt.Fprintln(w, "trained from\tto\t  input")
	for _, in := range m.Inputs {
		if math.IsNaN(in.Low) {
			printable.Fprintf(w, "-\t-\t  %s\n", in.Name)
			continue
		}
		printable.Fprintf(w, "%.6g\t%.6g\t  %s\n", in.Low, in.High, in.Name)
	}
	fmt.Fprintln(w)
	return w.Flush()
}

// positive writes a number, and nothing for zero.
func positive(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}
