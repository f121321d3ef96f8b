package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/lab/vesta"
	"github.com/ebb-energy/ebb/internal/power/powermodel"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// auditSettings are the flags of ebb-lab audit.
type auditSettings struct {
	vestaSettings
	learner string
}

func newAudit(std command.Stdio) *cobra.Command {
	s := auditSettings{vestaSettings: vestaSettings{repeats: 2, merge: 1}}
	cmd := &cobra.Command{
		Use:   "audit TABLE --power COLUMN --program COLUMN [flags]",
		Short: "how false a bill for energy a power model finds out",
		Long: `Reads a metered table and leaves out each program in turn, as a client's whose
energy a provider measures and bills. A model of the other programs says what
the client can know without a meter: an estimate and its 90 % interval. The bill
is found out when it lies outside. The table says from which exaggeration on it
does, and whether the true bill would be doubted.

The programs of a table are a sample of those to come: a client whose programs
are of another kind learns less.`,
		Example: `  ebb-lab audit web1.csv --power power_w --program program --inputs jvm
  ebb-lab audit server.csv.gz --power powerWatts --program workload`,
		RunE: func(cmd *cobra.Command, args []string) error { return s.execute(cmd, args, std) },
	}
	f := cmd.Flags()
	f.StringVar(&s.power, "power", "", "the `COLUMN` with the power, in watts")
	f.StringVar(&s.program, "program", "", "the `COLUMN` with the program's name")
	f.StringVar(&s.inputs, "inputs", string(powermodel.Kernel), "what the client sees, `KIND`: "+
		"os, clock, counters, jvm, all or events")
	command.Of(cmd, "inputs").Proposes(command.OneOf(kinds...))
	f.StringVar(&s.learner, "learner", powermodel.Default.Name, "`LEARNER` as of ebb model train")
	f.BoolVar(&s.json, "json", false, "print JSON")
	cmd.ValidArgsFunction = command.Files("csv", "gz")
	return cmd
}

func (s *auditSettings) execute(cmd *cobra.Command, args []string, std command.Stdio) error {
	if len(args) != 1 {
		return command.Usagef("give one table, not %d", len(args))
	}
	if err := s.check(args); err != nil {
		return err
	}
	table, err := s.read(args[0])
	if err != nil {
		return command.Usagef("read %s: %w", args[0], err)
	}
	ctx, caught := command.UntilSignal(cmd.Context())
	defer caught.Stop()
	drawn, clear := drawnBar(std.Err, "programs")
	all, err := vesta.Audit(ctx, table, s.learner, drawn)
	clear()
	if s := caught.Signal(); s != 0 {
		return command.StatusError(command.BySignal(s))
	}
	if err != nil {
		return command.Usagef("audit %s: %w", args[0], err)
	}
	if s.json {
		return command.WriteJSON(std.Out, all)
	}
	return printAudit(std.Out, all)
}

// exaggerations are the bills that are too high of which the summary counts those found out.
var exaggerations = []float64{0.05, 0.1, 0.2, 0.3, 0.5}

func printAudit(w io.Writer, all []vesta.Audited) error {
	var b strings.Builder
	t := &printable.Table{Name: "program", Columns: []printable.Column{
		{Title: "measured", Weight: 3}, {Title: "estimate", Weight: 3},
		{Title: "90 % interval", Weight: 2}, {Title: "found out from", Weight: 4},
		{Title: "true bill", Weight: 1}}}
	doubted := 0
	var shown []float64
	for i := range all {
		a := &all[i]
		said := "believed"
		if a.Doubted() {
			said = "doubted"
			doubted++
		}
		shown = append(shown, a.Shown)
		t.Row(a.Program, fmt.Sprintf("%.1f W", a.Measured), fmt.Sprintf("%.1f W", a.Estimate),
			fmt.Sprintf("%.1f to %.1f W", a.Low, a.High),
			fmt.Sprintf("%+.1f %%", 100*a.Shown), said)
	}
	width := command.PageWidth(w)
	if err := t.Write(&b, width); err != nil {
		return err
	}
	b.WriteString("\n")
	var found []string
	for _, x := range exaggerations {
		n := 0
		for _, from := range shown {
			if x > from {
				n++
			}
		}
		found = append(found, fmt.Sprintf("%d at %+.0f %%", n, 100*x))
	}
	slices.Sort(shown)
	bills := fmt.Sprint(doubted, " true bills are")
	if doubted == 1 {
		bills = "1 true bill is"
	}
	text := fmt.Sprintf("Of %s, bills that are too high are found out for %s; half of the "+
		"programs from %+.1f %% on. %s doubted.", printable.Count(len(all), "program"),
		strings.Join(found, ", "), 100*(shown[(len(shown)-1)/2]+shown[len(shown)/2])/2,
		bills)
	for _, line := range command.Wrap(text, width) {
		b.WriteString(line + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
