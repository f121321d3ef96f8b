package command

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/ebb-energy/ebb/policy"
)

// Without refuses each of these flags, when it is given, because it would do nothing.
func Without(f *pflag.FlagSet, because string, names ...string) error {
	for _, name := range names {
		if f.Changed(name) {
			return Usagef("--%s does nothing %s", name, because)
		}
	}
	return nil
}

// NoDefault hides a default from the help that stands for none, such as 0Hz.
func NoDefault(f *pflag.FlagSet, names ...string) {
	for _, name := range names {
		f.Lookup(name).DefValue = ""
	}
}

// CheckPaper refuses flags of the paper's methods that the method which was chosen does not have.
func CheckPaper(f *pflag.FlagSet) error {
	value := func(name string) string {
		if g := f.Lookup(name); g != nil {
			return g.Value.String()
		}
		return ""
	}
	switch model, rule := value("model"), value("rule"); {
	case f.Changed("ctp") && f.Changed("model") && !HasCriticalThreads(model):
		return Usagef("--ctp is for --model dep and dep+burst, not for %s", model)
	case f.Changed("margin") && f.Changed("rule") && rule != string(policy.Priced):
		return Usagef("--margin is for --rule %s, not for %s", policy.Priced, rule)
	}
	return nil
}

// HasCriticalThreads reports whether a model finds the critical thread of each epoch.
func HasCriticalThreads(model string) bool { return strings.HasPrefix(model, "dep") }
