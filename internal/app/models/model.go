package models

import (
	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/power/powermodel"
	"github.com/ebb-energy/ebb/internal/safefile"
)

// NewModel returns ebb model.
func NewModel(std command.Stdio) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "model COMMAND",
		Short: "train and check models of power, for machines without a meter",
		Long: `Reads, makes and checks power models: files that predict the power of a machine
from what its kernel or its counters count. ebb train makes one beside a meter,
and ebb run --power-model uses it where there is none. These commands need no
root and no meter.`,
		Args: command.OnlyCommands,
		RunE: func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newModelShow(std), newModelValidate(std), newModelExplain(std),
		newModelImport(std), newModelExport(std), newModelTrain(std), newCrossval(std))
	return cmd
}

// readModel reads a model file that the user names.
func readModel(path string) (*powermodel.Model, error) {
	f, err := safefile.Open(path)
	if err != nil {
		return nil, command.UsageError(err)
	}
	defer f.Close() // opened for reading: nothing can be lost
	m, err := powermodel.ReadModel(f)
	if err != nil {
		return nil, command.Usagef("read %s: %w", path, err)
	}
	return m, nil
}
