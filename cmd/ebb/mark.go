package main

import (
	"errors"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/instrumented"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/internal/safefile"
)

func newMark(command.Stdio) *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use:   "mark [flags] (begin | end) NAME",
		Short: "mark where a region of a program begins or ends",
		Long: `Says to ebb run --regions that a region of the program begins or ends now, so
that ebb report --region shows what it used. Each begin is the next iteration.
It is meant for shell scripts; other programs write the same line themselves:
begin NAME [TIME] or end NAME [TIME], with a time of CLOCK_MONOTONIC in ns, to
the pipe that EBB_MARKS names. The user that the command runs as may mark, and
root. Without a run that looks for marks it does nothing, with status 0.`,
		Example: `  ebb mark begin warm-up; ./client --rounds 100; ebb mark end warm-up
  ebb mark --to /tmp/.ebb-X/marks begin load`,
		ValidArgs: []string{instrumented.Begin, instrumented.End},
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return command.Usagef("%s takes begin or end, and a name", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			m := instrumented.Mark{Name: args[1], End: args[0] == instrumented.End,
				At: monotonic.Now()}
			if args[0] != instrumented.Begin && !m.End {
				return command.Usagef("mark %s: there are begin and end", args[0])
			}
			if err := instrumented.CheckRegion(m.Name); err != nil {
				return command.Usagef("mark: %w", err)
			}
			given := to != ""
			if !given {
				to = os.Getenv(instrumented.MarksVariable)
			}
			if to == "" {
				return nil
			}
			return writeMark(to, m, given)
		},
	}
	cmd.Flags().StringVar(&to, "to", "",
		"write to the `PIPE` that the run named (default: the one in EBB_MARKS)")
	return cmd
}

// writeMark writes a mark to a run's pipe, and never waits. A run that has ended is no error,
// unless the pipe was named.
func writeMark(to string, m instrumented.Mark, named bool) error {
	err := safefile.ToPipe(to, m.Line())
	if !named && (errors.Is(err, safefile.ErrNoReader) || errors.Is(err, fs.ErrNotExist)) {
		return nil
	}
	if err != nil {
		return command.Usagef("mark: %w", err)
	}
	return nil
}
