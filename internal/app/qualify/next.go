package qualify

// tracker is the address to which results are sent.
const tracker = "https://github.com/ebb-energy/ebb/issues"

// Next returns a sentence on what to do now with a result of this machine. file is the result's, ""
// where it was not kept.
func Next(r *Result, file string) string {
	send := "sudo ebb qualify -o results makes a file to attach to an issue at " + tracker
	if file != "" {
		send = "attach " + file + " to an issue at " + tracker
	}
	requests := r.Step(StepRequests)
	switch {
	case r.Interrupted:
		return "sudo ebb qualify, without an interruption; --quick takes 3 minutes"
	case r.Verdict.Answer == Not:
		return send
	case r.Verdict.Answer == Open && requests != nil && requests.Absence == Refused:
		return "what step 2 says, and then sudo ebb qualify again"
	case r.Verdict.Answer == Open && requests != nil && requests.State == Skipped:
		return "ebb doctor says what to do so that ebb can set clocks; without that, sudo ebb " +
			"run -- COMMAND shows what ebb would save"
	case r.Verdict.Answer == Open:
		return "sudo ebb qualify, with all its steps"
	case r.Verdict.Answer == Within && r.Plan.Mode == Quick:
		return "sudo ebb qualify: its runs are longer and decide more; " + send
	}
	return "sudo ebb run -- COMMAND; " + send
}
