package command

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/policy"
	"github.com/ebb-energy/ebb/predictor"
)

// PaperFlags sets proposals and rules for those of the flags model, estimator, ctp, rule and margin
// that cmd has. The rules bind each flag to the paper's methods that it is for.
func PaperFlags(cmd *cobra.Command) {
	for name, values := range map[string][]string{
		"model":     predictor.ModelNames(),
		"estimator": predictor.EstimatorNames(),
		"ctp":       {predictor.Across, predictor.PerEpoch},
		"rule":      append(policy.Rules(), policy.SystemRules()...),
	} {
		if cmd.Flags().Lookup(name) != nil {
			Of(cmd, name).Proposes(OneOf(values...))
		}
	}
	if cmd.Flags().Lookup("ctp") != nil {
		Of(cmd, "ctp").For("model", "dep and dep+burst", HasCriticalThreads)
	}
	if cmd.Flags().Lookup("margin") != nil {
		Of(cmd, "margin").For("rule", string(policy.Priced), IsPriced)
	}
}

// HasCriticalThreads reports whether a model finds the critical thread of each epoch.
func HasCriticalThreads(model string) bool { return strings.HasPrefix(model, "dep") }

// IsPriced reports whether a rule is policy.Priced.
func IsPriced(rule string) bool { return rule == string(policy.Priced) }
