package command

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ebb-energy/ebb/internal/app/config"
)

// flagError explains an error of the flag parser in ebb's words.
func flagError(cmd *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	var unknown *pflag.NotExistError
	var number *strconv.NumError
	hint := cmd.CommandPath() + " --help lists the flags"
	switch {
	case errors.As(err, &value):
		said := value.Unwrap()
		var twice contradiction
		switch kind := value.GetFlag().Value.Type(); {
		case errors.As(said, &twice):
		case kind == "bool":
			said = fmt.Errorf("%q is neither true nor false", value.GetValue())
		case kind == "duration":
			said = fmt.Errorf("%q is not a time with its unit, such as 5ms", value.GetValue())
		case errors.As(said, &number) && errors.Is(said, strconv.ErrRange):
			said = fmt.Errorf("%s is out of range", number.Num)
		case number != nil:
			said = fmt.Errorf("%q is not a whole number", number.Num)
		}
		err = fmt.Errorf("--%s: %w", value.GetFlag().Name, said)
	case errors.As(err, &unknown):
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if n := config.Nearest(unknown.GetSpecifiedName(), names); n != "" {
			hint = "did you mean --" + n + "?"
		}
	}
	return Usagef("%w (%s)", err, hint)
}

// OnlyCommands checks the arguments of a command that does nothing without a subcommand.
func OnlyCommands(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return unknownCommand(cmd, args[0])
	}
	return nil
}

func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return Usagef("%s takes no argument, but was given %q", cmd.CommandPath(), args[0])
	}
	return nil
}

// unknownCommand returns the error for an argument that is no subcommand of cmd.
func unknownCommand(cmd *cobra.Command, name string) error {
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	if n := config.Nearest(name, names); n != "" {
		return Usagef("unknown command %q; did you mean %s %s?", name, cmd.CommandPath(), n)
	}
	return Usagef("unknown command %q; %s --help lists the commands", name,
		cmd.CommandPath())
}
