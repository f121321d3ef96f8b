package report

// AsItRan says at which frequencies an attribution is in shadow mode, and why its energy is not the
// summary's, in lines above its table; "" where both are the same.
func (r *Report) AsItRan() string {
	text := ""
	if r.Actuator == "shadow" {
		text = "shadow mode  the program as it ran, assumed to be at the highest frequency " +
			"throughout\n"
	}
	if s := r.TwoSums(); s != "" {
		text += "two sums     " + s + "\n"
	}
	return text
}
