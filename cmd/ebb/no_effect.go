package main

import (
	"github.com/spf13/pflag"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/policy"
)

// checkRest refuses --rest where there are no rests anyway, unless it asks for none. Counts says
// that calls are counted.
func checkRest(f *pflag.FlagSet, counts bool) error {
	rest, rule := f.Lookup("rest"), f.Lookup("rule")
	if rest == nil || !rest.Changed || rest.Value.String() == "1" {
		return nil
	}
	for _, name := range []string{"hold-off", "frequency", "minimize", "methods", "threads",
		"interval", "stream", "network", "sensitivity", "epochs"} {
		if f.Changed(name) && !(name == "hold-off" && f.Lookup(name).Value.String() == "1") {
			return command.Usagef("--rest does nothing beside --%s, with which there are no rests",
				name)
		}
	}
	switch {
	case counts:
		return command.Usagef("--rest does nothing where calls are counted: there are no rests")
	case rule != nil && rule.Changed && rule.Value.String() != string(policy.Priced):
		return command.Usagef("--rest is for --rule %s, not for %s", policy.Priced, rule.Value)
	}
	return nil
}
