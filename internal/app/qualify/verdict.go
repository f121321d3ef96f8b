package qualify

import "fmt"

// Answer is the conclusion from a result, in words.
type Answer string

// The answers. Open is the answer of a check that was not made, or that found nothing out.
const (
	Believe Answer = "believe it"
	Within  Answer = "believe it within these limits"
	Not     Answer = "do not believe it"
	Open    Answer = "do not know"
)

// Verdict says whether ebb can be believed on a machine.
type Verdict struct {
	Answer   Answer  `json:"answer"`
	Sentence string  `json:"sentence"`
	Checks   []Check `json:"checks"`
}

// Check is one question with its threshold.
type Check struct {
	Step     int    `json:"step"`
	Question string `json:"question"`
	Answer   Answer `json:"answer"`
	Found    string `json:"found"`
	// Threshold says up to which figures the answer is Believe, and up to which Within.
	Threshold string `json:"threshold"`
}

// needed are the steps without which there is no verdict.
var needed = []int{StepRequests, StepBudgets}

// Judge makes the verdict from the steps.
func Judge(r *Result) Verdict {
	j := judge{r: r}
	for n := range Steps {
		if s := r.Step(n + 1); s != nil {
			j.step(s)
		}
	}
	j.whole()
	v := Verdict{Answer: Believe, Checks: j.checks}
	open := 0
	for _, c := range j.checks {
		switch c.Answer {
		case Not:
			v.Answer = Not
		case Within:
			if v.Answer == Believe {
				v.Answer = Within
			}
		case Open:
			open++
		}
	}
	absent := j.absent()
	switch {
	case v.Answer == Not:
		v.Sentence = j.named(Not, "this check failed", "these checks failed")
	case absent != "":
		v.Answer, v.Sentence = Open, absent
	case v.Answer == Within:
		v.Sentence = j.named(Within, "this check is a limit", "these checks are limits")
	case open > 0:
		v.Answer = Within
		v.Sentence = "all that could be checked holds; what could not be checked is the limit"
	default:
		v.Sentence = "every check holds"
	}
	return v
}

// named returns a sentence with the questions of the checks that have an answer.
func (j *judge) named(a Answer, one, several string) string {
	var all []string
	for _, c := range j.checks {
		if c.Answer == a {
			all = append(all, fmt.Sprintf("step %d, %q", c.Step, c.Question))
		}
	}
	if len(all) == 1 {
		return one + ": " + all[0]
	}
	return several + ": " + list(all)
}

// absent names the missing step that everything rests on; "" where none is.
func (j *judge) absent() string {
	for _, n := range needed {
		s := j.r.Step(n)
		switch {
		case s == nil || s.State == NotRun:
			return "step " + digit(n) + " was not run"
		case s.State != Finished:
			text := "step " + digit(n) + " was " + string(s.State)
			if s.Absence != "" {
				text += " (" + string(s.Absence) + ")"
			}
			return text + ": " + s.Because
		}
	}
	return ""
}

func digit(n int) string { return string(rune('0' + n)) }
