package command

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// offNote is the annotation with the value by which a flag asks for nothing; see Flag.Off.
const offNote = "ebb_off"

// Flag is a flag of a command. Its methods declare properties besides name, type and meaning, and
// return the flag for the next one.
type Flag struct {
	*pflag.Flag
	cmd *cobra.Command
}

// Of returns a flag that cmd has.
func Of(cmd *cobra.Command, name string) Flag { return Flag{cmd.Flags().Lookup(name), cmd} }

// Proposes sets the values that the shells' completion proposes.
func (f Flag) Proposes(values Completer) Flag {
	_ = f.cmd.RegisterFlagCompletionFunc(f.Name, values) // fails for flags that do not exist
	return f
}

// NoDefault hides a default that stands for none, such as 0Hz, from the help.
func (f Flag) NoDefault() Flag {
	f.DefValue = ""
	return f
}

// Research lists the flag in cmd's help among those that choose models, estimators and rules. To
// govern a program nobody needs them.
func (f Flag) Research() Flag {
	mark(f.cmd, researchGroup, []string{f.Name})
	return f
}

// Off names a value by which the flag asks for nothing. With it, the flag counts as not given.
func (f Flag) Off(value string) Flag {
	_ = f.cmd.Flags().SetAnnotation(f.Name, offNote, []string{value}) // as in Proposes
	return f
}

// Needs refuses the flag where none of others is given, because it would do nothing.
func (f Flag) Needs(others ...string) Flag {
	return f.refuse(func(all *pflag.FlagSet) error {
		if slices.ContainsFunc(others, func(o string) bool { return given(all, o) }) {
			return nil
		}
		return Usagef("--%s does nothing without --%s", f.Name, others[0])
	})
}

// Beside refuses the flag where one of others is given, because it would do nothing. because
// describes the other flag.
func (f Flag) Beside(because string, others ...string) Flag {
	return f.refuse(func(all *pflag.FlagSet) error {
		for _, o := range others {
			if given(all, o) {
				return Usagef("--%s does nothing beside --%s, %s", f.Name, o, because)
			}
		}
		return nil
	})
}

// Either refuses the flag where other is given. Both name something, such as a meter, of which
// there can be one.
func (f Flag) Either(other, of string) Flag {
	return f.refuse(func(all *pflag.FlagSet) error {
		if given(all, other) {
			return Usagef("--%s and --%s were given: name one %s", f.Name, other, of)
		}
		return nil
	})
}

// For refuses the flag where other is given with a value that is does not accept. values names the
// accepted ones.
func (f Flag) For(other, values string, is func(value string) bool) Flag {
	return f.refuse(func(all *pflag.FlagSet) error {
		if g := all.Lookup(other); given(all, other) && !slices.ContainsFunc(valuesOf(g), is) {
			return Usagef("--%s is for --%s %s, not for %s", f.Name, other, values, g.Value)
		}
		return nil
	})
}

// valuesOf returns the values of a flag, which may take a list.
func valuesOf(f *pflag.Flag) []string {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		return list.GetSlice()
	}
	return []string{f.Value.String()}
}

// refuse adds a check that runs where the flag is given.
func (f Flag) refuse(check func(all *pflag.FlagSet) error) Flag {
	Refuse(f.cmd, func(all *pflag.FlagSet) error {
		if !given(all, f.Name) {
			return nil
		}
		return check(all)
	})
	return f
}

// Refuse adds a check of the flags that cmd was given, before cmd runs.
func Refuse(cmd *cobra.Command, check func(all *pflag.FlagSet) error) {
	before := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if before != nil {
			if err := before(cmd, args); err != nil {
				return err
			}
		}
		return check(cmd.Flags())
	}
}

// given reports whether the command line has a flag, with a value by which it asks for something.
func given(all *pflag.FlagSet, name string) bool {
	f := all.Lookup(name)
	return f != nil && f.Changed && !slices.Contains(f.Annotations[offNote], f.Value.String())
}

// refuseEmpty refuses flags whose value is empty. Such a value comes from a variable that is not
// set: with --user "$NAME" the command would run as root.
func refuseEmpty(cmd *cobra.Command, _ []string) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if values := valuesOf(f); err == nil && (len(values) == 0 || values[0] == "") {
			err = Usagef("--%s: its value is empty", f.Name)
		}
	})
	return err
}

// Without refuses each of these flags, when it is given, because it would do nothing.
func Without(f *pflag.FlagSet, because string, names ...string) error {
	for _, name := range names {
		if f.Changed(name) {
			return Usagef("--%s does nothing %s", name, because)
		}
	}
	return nil
}
