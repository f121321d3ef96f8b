package models

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/power/powermodel"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

func newModelShow(std command.Stdio) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:               "show FILE",
		ValidArgsFunction: command.Files("ebbmodel"),
		Short:             "print what a model is, where it comes from and how far it misses",
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

// ShownModel is a model in the output of show. Null stands for what is unknown.
type ShownModel struct {
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

func shownModels(m *powermodel.Model) (out []ShownModel) {
	for ; m != nil; m = m.Simpler {
		s := ShownModel{Learner: m.Learner, Tier: m.Tier, Provenance: m.Provenance,
			Interval: m.Interval, Programs: m.Programs}
		for _, in := range m.Inputs {
			s.Inputs = append(s.Inputs, shownInput{in.Name, known(in.Low), known(in.High)})
		}
		out = append(out, s)
	}
	return out
}

// known returns a pointer to x, nil for NaN.
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
	width := command.PageWidth(out)
	printable.Fprintf(out, "learner %s, %s%s\n\n", m.Learner,
		printable.Count(len(m.Inputs), "input"), tier)
	p := m.Provenance
	for _, line := range [][2]string{
		{"machine", p.CPUModel}, {"CPUs", positive(p.CPUs)}, {"kernel", p.Kernel},
		{"JVM", p.JVM}, {"meter", p.Meter}, {"trained", p.Date},
		{"intervals", positive(p.Intervals)}, {"programs", strings.Join(p.Programs, ", ")},
	} {
		label := line[0]
		for _, part := range command.Wrap(line[1], width-provenanceLabel) {
			printable.Fprintf(out, "%-*s%s\n", provenanceLabel, label, part)
			label = ""
		}
	}
	if i := m.Interval; i == nil {
		fmt.Fprintln(out, "\nHow far it misses a program that it has not seen is unknown.")
	} else {
		fmt.Fprintf(out, "\n%.0f %% interval for a program that it has not seen: +-%.1f %% on "+
			"average,\nfrom %s left out in turn\n", 100*i.Confidence, 100*i.HalfWidth,
			printable.Count(i.Programs, "program"))
	}
	fmt.Fprintln(out)
	if len(m.Programs) > 0 {
		w := &printable.Table{Name: "program", Columns: []printable.Column{
			{Title: "left out", Weight: 2}, {Title: "held", Weight: 1}}}
		for _, e := range m.Programs {
			w.Row(e.Program, printable.ShortSignedPercent(e.Total), fmt.Sprintf("%.0f%%",
				100*e.Held))
		}
		if err := w.Write(out, width); err != nil {
			return err
		}
		fmt.Fprintln(out)
	}
	w := &printable.Table{Name: "input", Columns: []printable.Column{
		{Title: "trained from", Weight: 2}, {Title: "to", Weight: 1}}}
	for _, in := range m.Inputs {
		low, high := "-", "-"
		if !math.IsNaN(in.Low) {
			low, high = fmt.Sprintf("%.6g", in.Low), fmt.Sprintf("%.6g", in.High)
		}
		w.Row(in.Name, low, high)
	}
	if err := w.Write(out, width); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out)
	return err
}

// provenanceLabel is the width of the labels of where a model comes from.
const provenanceLabel = 11

// positive returns a number as text, and "" for zero.
func positive(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}
