package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/energy/profile"
	"github.com/ebb-energy/ebb/report"
)

func newReport(std stdio) *cobra.Command {
	var by, rule, format string
	var top int
	var library []string
	cmd := &cobra.Command{
		Use:   "report [flags] FILE",
		Short: "which threads and methods a run's energy went to",
		Long: `Shows what ebb run --methods --report FILE found out. Units are the application's own methods: what library and
runtime code does is booked to the method that called it.`,
		Example: `  sudo ebb run --methods --report r.json -- java -jar app.jar
  ebb report r.json
  ebb report r.json --by thread --top 20
  ebb report r.json --rule all`,
		Args: oneFile,
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := readProfile(args[0])
			if err != nil {
				return err
			}
			v, err := profile.NewView(p, by, library)
			if err != nil {
				return usageError{err}
			}
			i := slices.Index(p.Rules, rule)
			if rule == "all" {
				i = 0
			}
			if i < 0 {
				return usagef("--rule %s: there are %s, and all", rule, strings.Join(p.Rules, ", "))
			}
			rows := p.Rows(v, i)
			switch format {
			case "text":
				if rule == "all" {
					return p.WriteRules(std.out, rows, top)
				}
				return p.WriteText(std.out, rows, i, top)
			case "json":
				enc := json.NewEncoder(std.out)
				enc.SetIndent("", "  ")
				return enc.Encode(rows)
			}
			return usagef("--format %s: there are text, json", format)
		},
	}
	f := cmd.Flags()
	f.StringVar(&by, "by", "method", "`VIEW`: "+strings.Join(profile.Views, ", "))
	f.StringVar(&rule, "rule", "ledger", "`RULE` by which the energy is divided; all compares them")
	f.StringVar(&format, "format", "text", "`FORMAT` of the output: text, json")
	f.IntVar(&top, "top", 10, "show `N` lines; 0 for all")
	f.StringSliceVar(&library, "library", nil, "`PREFIXES` of code that is no application's (default: those of Java's, Go's, C++'s and Rust's own)")
	return cmd
}

// readProfile reads a run's report and the attribution in it.
func readProfile(path string) (*profile.Profile, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, usagef("%w", err)
	}
	var r report.Report
	if err := json.Unmarshal(b, &r); err != nil {
		return nil, usagef("%s: not a run's report: %w", path, err)
	}
	if r.Attribution == nil {
		return nil, usagef("%s: the run was not asked for methods: ebb run --methods --report FILE", path)
	}
	if err := r.Attribution.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r.Attribution, nil
}
