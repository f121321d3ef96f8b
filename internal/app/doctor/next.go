package doctor

import "slices"

// run is the subject of the finding that says what ebb run would do.
const run = "ebb run"

// Works reports whether ebb run would run a program, be it in shadow mode.
func Works(findings []Finding) bool {
	return findingOf(findings, run).State != Missing
}

// next returns a sentence on what to do now.
func next(findings []Finding) string {
	f := findingOf(findings, run)
	switch {
	case f.State == Missing && f.Advice != "":
		return "ebb run would refuse: " + f.Advice
	case f.State == Missing:
		return "ebb run would refuse: see above"
	case findingOf(findings, "other ebb").Advice != "":
		return findingOf(findings, "other ebb").Advice + ", and then sudo ebb run -- COMMAND"
	case f.State == Warning && f.Advice != "":
		return f.Advice + ", and then sudo ebb run -- COMMAND"
	case f.State == Warning:
		return "sudo ebb run -- COMMAND shows what ebb would save, without setting the clock; " +
			"ebb-lab bench --sim xalan compares on a simulated machine"
	}
	return "sudo ebb run -- COMMAND; sudo ebb bench -o results -- COMMAND shows what it is worth"
}

// findingOf returns the finding of a subject; its zero value where there is none.
func findingOf(findings []Finding, what string) Finding {
	i := slices.IndexFunc(findings, func(f Finding) bool { return f.What == what })
	if i < 0 {
		return Finding{What: what, State: Missing}
	}
	return findings[i]
}
