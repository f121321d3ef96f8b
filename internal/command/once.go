package command

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// RefuseContradictions makes the flags of cmd and of its subcommands refuse a second value that
// differs from the first, because one of the two would have no effect. A flag that takes several
// values collects them.
func RefuseContradictions(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if _, several := f.Value.(pflag.SliceValue); !several {
			f.Value = &once{Value: f.Value}
			if f.DefValue == "0s" {
				f.DefValue = "" // pflag hides only its own types' default
			}
		}
	})
	for _, sub := range cmd.Commands() {
		RefuseContradictions(sub)
	}
}

// contradiction is the error of a flag's second value, with both values.
type contradiction [2]string

func (c contradiction) Error() string {
	return fmt.Sprintf("given as %q and as %q, of which one would have no effect", c[0], c[1])
}

// once is a flag's value that the command line can set to one value only.
type once struct {
	pflag.Value
	given *string // first value; nil before it
}

// Set refuses a second value other than the first.
func (o *once) Set(value string) error {
	if o.given != nil && *o.given != value {
		return contradiction{*o.given, value}
	}
	if err := o.Value.Set(value); err != nil {
		return err
	}
	o.given = &value
	return nil
}

// GivenAgain keeps the values that the command line gave each flag. It returns a function that sets
// them once more, after a file has changed the flags' variables. It repeats the given text, because
// a value may print itself rounded, and a list prints itself in brackets.
func GivenAgain(flags *pflag.FlagSet) (again func() error) {
	var all []func() error
	flags.Visit(func(f *pflag.Flag) {
		set := func(set func() error) {
			all = append(all, func() error {
				if err := set(); err != nil {
					return Usagef("--%s: %w", f.Name, err)
				}
				return nil
			})
		}
		switch v := f.Value.(type) {
		case pflag.SliceValue:
			list := v.GetSlice()
			set(func() error { return v.Replace(list) })
		case *once:
			given := *v.given // a flag that was visited was set, so it is not nil
			set(func() error { return v.Value.Set(given) })
		default:
			text := v.String()
			set(func() error { return v.Set(text) })
		}
	})
	return func() error {
		for _, set := range all {
			if err := set(); err != nil {
				return err
			}
		}
		return nil
	}
}
