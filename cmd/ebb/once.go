package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// refuseContradictions makes the flags of cmd and of its subcommands refuse a second value that
// differs from the first, of which one would have no effect. A flag that takes several values
// collects them.
func refuseContradictions(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if _, several := f.Value.(pflag.SliceValue); !several {
			f.Value = &once{Value: f.Value}
			if f.DefValue == "0s" {
				f.DefValue = "" // pflag hides it of its own type only
			}
		}
	})
	for _, sub := range cmd.Commands() {
		refuseContradictions(sub)
	}
}

// contradiction is the error of a flag's second value.
type contradiction [2]string

func (c contradiction) Error() string {
	return fmt.Sprintf("given as %q and as %q, of which one would have no effect", c[0], c[1])
}

// once is a flag's value that the command line sets to one thing only.
type once struct {
	pflag.Value
	given *string // the first; nil before it
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

// anew is a flag's value as it was before refuseContradictions.
func anew(v pflag.Value) pflag.Value {
	if o, ok := v.(*once); ok {
		return o.Value
	}
	return v
}
