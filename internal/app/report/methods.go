package report

import (
	"fmt"
	"time"

	"github.com/ebb-energy/ebb/internal/render/printable"
)

// AsItRan returns lines for above an attribution's table; "" where there is nothing to say. They
// name the frequencies in shadow mode, the reason why the energy is not the summary's, and the CPU
// time that the table lacks.
func (r *Report) AsItRan() string {
	text := ""
	if r.Actuator == "shadow" {
		text = "shadow mode  the program as it ran, assumed to be at the highest frequency " +
			"throughout\n"
	}
	if s := r.TwoSums(); s != "" {
		text += "two sums     " + s + "\n"
	}
	if s := r.skipped(); s != "" {
		text += "hold-off     " + s + "\n"
	}
	if s := r.notTraced(); s != "" {
		text += "not traced   " + s + "\n"
	}
	return text
}

// skipped names the part of the run that is divided where the rest was not profiled; "" where all
// was.
func (r *Report) skipped() string {
	if r.HoldOff <= 1 || r.Attribution == nil {
		return ""
	}
	return fmt.Sprintf("one quantum in %d is divided (--hold-off), %s of %s; what was used in the "+
		"others is in no row", r.HoldOff, printable.Duration(time.Duration(r.ProfiledNS)),
		printable.Duration(time.Duration(r.WallNS)))
}
