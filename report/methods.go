package report

// AsItRan says at which frequencies an attribution is in shadow mode, in a line above its table; ""
// where the summary's energy is at the same. The summary's is at those that ebb would have set.
func (r *Report) AsItRan() string {
	if r.Actuator != "shadow" {
		return ""
	}
	return "shadow mode  the program as it ran, assumed to be at the highest frequency " +
		"throughout\n"
}
