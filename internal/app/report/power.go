package report

import (
	"fmt"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// Origins of the power model's parameters.
const (
	PowerDefault = "default"
	PowerStated  = "stated"
)

// powerLine prints the policy's knowledge of the machine's power, where it decided anything.
func (r *Report) powerLine(p func(string, string, ...any)) {
	if r.Actuator == "shadow" || r.Objective == string(governor.Fixed) || r.PowerParameters == "" {
		return
	}
	by := "the configuration's parameters"
	if r.PowerParameters == PowerDefault {
		by = "ebb's default parameters, which describe no particular machine"
	}
	learned := "; no energy meter corrected them"
	if r.PowerWindows > 0 {
		learned = fmt.Sprintf("; corrected by the energy meter, %s",
			printable.Count(r.PowerWindows, "window"))
	}
	p("policy", "decided with %s%s", by, learned)
}
