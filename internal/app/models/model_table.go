package models

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/power/powermodel"
	"github.com/ebb-energy/ebb/internal/safefile"
)

// maxTable bounds a table, in bytes of text.
const maxTable = 1 << 29

// columns are the names of a metered table's columns that are no inputs.
type columns struct {
	power, program string
}

func (c *columns) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&c.power, "power", "", "the `COLUMN` with the power, in watts")
	f.StringVar(&c.program, "program", "", "the `COLUMN` with the program's name")
}

// check reports a name that is missing.
func (c *columns) check() error {
	switch {
	case c.power == "":
		return command.Usagef("--power is missing: which column has the power?")
	case c.program == "":
		return command.Usagef("--program is missing: which column has the program's name?")
	}
	return nil
}

// crossvalidate trains a learner on the table at path with each program left out in turn, and shows
// its progress.
func crossvalidate(
	std command.Stdio, path string, t *powermodel.Table, learner powermodel.Learner,
) (*powermodel.Validation, error) {
	bar := command.NewBar(std.Err)
	v, err := powermodel.Crossvalidate(t, learner, func(done, all int) {
		bar.Draw(done, all, "models", "")
	})
	bar.Clear()
	if err != nil {
		return nil, command.Usagef("validate on %s: %w", path, err)
	}
	return v, nil
}

// onTable are the settings of a command that compares a model with a metered table.
type onTable struct {
	columns
	html string
	json bool
}

func (s *onTable) flags(cmd *cobra.Command) {
	s.columns.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&s.html, "html", "", "write a page with figures to this `FILE`")
	f.BoolVar(&s.json, "json", false, "print JSON")
}

// read reads the model and the table that the arguments name.
func (s *onTable) read(args []string) (*powermodel.Model, *powermodel.Table, error) {
	if len(args) != 2 {
		return nil, nil, command.Usagef("give a model and a metered table")
	}
	if err := s.columns.check(); err != nil {
		return nil, nil, err
	}
	m, err := readModel(args[0])
	if err != nil {
		return nil, nil, err
	}
	parse := func(r io.Reader) (*powermodel.Table, error) {
		return m.ReadFor(r, s.power, s.program)
	}
	t, err := safefile.ReadUnpacked(args[1], maxTable, parse)
	if err != nil {
		return nil, nil, command.Usagef("read %s: %w", args[1], err)
	}
	return m, t, nil
}

// output prints JSON or text, and writes the page where one is wanted.
func (s *onTable) output(
	std command.Stdio, value any, text, page func(io.Writer) error,
) error {
	if s.html != "" {
		f, err := command.FileFor("--html", s.html)
		if err != nil {
			return err
		}
		if err := f.Fill(page); err != nil {
			return err
		}
	}
	if s.json {
		return command.WriteJSON(std.Out, value)
	}
	return text(std.Out)
}
