package correction

import (
	"math"

	"github.com/ebb-energy/ebb/predictor"
)

// leastAlike is the share of the running time that threads of both quanta must have for their work
// to be compared thread by thread.
const leastAlike = 0.5

// alike sets the time, the change and the use of memory of now to what they would be if each thread
// had done the same share of the work as in the quantum before. A lower clock slows the threads
// that compute and not those that wait for memory, so these do more of a quantum's instructions
// there. Compared as a whole, the quanta would show another kind of work, and a bias of predictions
// that is none.
//
// Each of the three changes by the mean over the threads of both quanta of how its logarithm
// changed, weighted by their mean shares of the time: a Tornqvist index.
func (c *Corrector) alike(last, now *Stretch) {
	var was, is, run float64 // sums over the threads that both quanta have
	pairs := func(each func(a, b *predictor.ThreadTime)) {
		for i, j := 0, 0; i < len(c.before) && j < len(c.threads); {
			switch a, b := &c.before[i], &c.threads[j]; {
			case a.Thread < b.Thread || a.Ended:
				i++
			case a.Thread > b.Thread || b.Follows:
				j++
			default:
				if a.Instructions > 0 && b.Instructions > 0 && a.Time > 0 && b.Time > 0 {
					each(a, b)
				}
				i, j = i+1, j+1
			}
		}
	}
	pairs(func(a, b *predictor.ThreadTime) {
		was, is, run = was+a.Time, is+b.Time, run+b.Run
	})
	all := 0.0
	for i := range c.threads {
		all += c.threads[i].Run
	}
	if !(run > 0 && run >= leastAlike*all) {
		return // other threads did too much of the work
	}
	var time, change, use, read float64
	pairs(func(a, b *predictor.ThreadTime) {
		w := (a.Time/was + b.Time/is) / 2
		time += float64(w * math.Log(b.Time/b.Instructions/(a.Time/a.Instructions)))
		change += float64(w * math.Log(b.Run/b.Time/(a.Run/a.Time)))
		if a.Reads > 0 && b.Reads > 0 {
			use += float64(w * math.Log(b.Reads/b.Instructions/(a.Reads/a.Instructions)))
			read += w
		}
	})
	now.Time, now.Change = last.Time*math.Exp(time), last.Change+change
	if read > 0 {
		now.Intensity = last.Intensity * math.Exp(use/read)
	}
}
