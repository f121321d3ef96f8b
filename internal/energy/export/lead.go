package export

import (
	"fmt"
	"math"

	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

const (
	// leads is the number of units that the first sentence names, leastLead the share of the least.
	leads     = 3
	leastLead = 0.01
	// longestAdvice is the most runs that lead would advise to distinguish two units.
	longestAdvice = 20
)

// lead returns what the rows come to: which units have the most, how sure that is, and which run
// would show more.
func lead(p *profile.Profile, rows []profile.Row) (sentences []string) {
	var first string
	for i := range rows[:min(len(rows), leads)] {
		r := &rows[i]
		if i > 0 && r.Share < leastLead {
			break
		}
		if i > 0 {
			first += ", "
		}
		first += short(printable.Name(r.Unit)) + " "
		if i == 0 {
			first += "has "
		}
		first += printable.Percent(r.Share)
		if i == 0 {
			first += " of the " + p.Amounts().Name()
		}
		if r.Low < r.High {
			first += fmt.Sprintf(" (%.1f to %.1f)", 100*r.Low, 100*r.High)
		}
	}
	if first == "" {
		return nil
	}
	sentences = []string{first + "."}
	if p.RateHz == 0 {
		return append(sentences, "Times of threads are exact.")
	}
	sure := fmt.Sprintf("In brackets are 95 %% intervals by %s.",
		printable.Count(p.Resolution().Samples, "sample"))
	if len(rows) > 1 && rows[0].Low < rows[0].High {
		sentences = append(sentences, sure)
		sentences = append(sentences, apart(&rows[0], &rows[1]))
	}
	return sentences
}

// apart returns a sentence on whether the samples distinguish the first unit from the second. If
// not, it says how much longer a run must be to do so: intervals narrow with the root of the
// samples.
func apart(a, b *profile.Row) string {
	if a.Rank != b.Rank {
		return "The first one is ahead: its interval lies apart from the others."
	}
	between, half := a.Share-b.Share, (a.High-a.Low+b.High-b.Low)/2
	if times := (half / between) * (half / between); times <= longestAdvice {
		return fmt.Sprintf("Which of the first two is ahead is open; a run %.0f times as long, or "+
			"as many times the --rate, would show it.", math.Ceil(max(times, 2)-1e-9))
	}
	return "The first two have about the same."
}
