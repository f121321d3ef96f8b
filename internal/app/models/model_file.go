package models

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/power/powermodel"
	"github.com/ebb-energy/ebb/internal/safefile"
)

func newModelImport(std command.Stdio) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:               "import FILE.json",
		ValidArgsFunction: command.Files("json"),
		Short:             "read a model of XGBoost's",
		Long: `Reads a model that XGBoost 1.7 or later has saved as JSON, and writes it as a
power model. Its objective must be reg:squarederror, its booster gbtree without
categorical splits. The predictions are XGBoost's, to the last bit. Such a model
knows neither the ranges that it was trained on nor how far it misses.`,
		Example: `  ebb model import model.json -o model.ebbmodel`,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return command.Usagef("give one model of XGBoost's, not %d", len(args))
			}
			f, err := safefile.Open(args[0])
			if err != nil {
				return command.UsageError(err)
			}
			defer f.Close() // opened for reading: nothing can be lost
			m, err := powermodel.ImportXGBoost(f)
			if err != nil {
				return command.Usagef("read %s: %w", args[0], err)
			}
			if err := command.NotItself(output, args[0]); err != nil {
				return err
			}
			return command.ToFile(std.Out, output, m.Write)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "",
		"write to this `FILE` (default: standard output)")
	return cmd
}

func newModelExport(std command.Stdio) *cobra.Command {
	var output string
	var xgboost bool
	cmd := &cobra.Command{
		Use:               "export FILE --xgboost",
		ValidArgsFunction: command.Files("ebbmodel"),
		Short:             "write a model for XGBoost",
		Long: `Writes a power model of trees alone (learner xgboost, or imported) as XGBoost's
JSON, which XGBoost 1.7 and later load. A model with a line cannot be written:
XGBoost's format has no place for the line.`,
		Example: `  ebb model export model.ebbmodel --xgboost -o model.json`,
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) != 1:
				return command.Usagef("give one power model, not %d", len(args))
			case !xgboost:
				return command.Usagef("--xgboost is missing: it is the only format")
			}
			m, err := readModel(args[0])
			if err != nil {
				return err
			}
			if err := m.ExportXGBoost(io.Discard); err != nil {
				return command.Usagef("export %s: %w", args[0], err)
			}
			if err := command.NotItself(output, args[0]); err != nil {
				return err
			}
			return command.ToFile(std.Out, output, m.ExportXGBoost)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&output, "output", "o", "", "write to this `FILE` (default: standard output)")
	f.BoolVar(&xgboost, "xgboost", false, "write XGBoost's JSON")
	return cmd
}
