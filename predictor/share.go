package predictor

import "github.com/ebb-energy/ebb/predictor/nonscaling"

// Share sets the number of lines that the memory moved, for all programs, in the time of the epochs
// since the last Reset. Predictions then include contention at the memory ("Others at the memory"
// in the package's documentation), for all the epochs together.
//
// What the columns of an epoch say of the memory in it (Config.Unit) cannot replace this: where
// threads make bursts of requests, as those do that zero what they allocate, the bursts of two meet
// the more often the faster the work between them is done, and an epoch shows only those that met
// in it. With both, the waits would count twice.
//
// A request meets those of other threads at any time, and those of its own thread only while that
// waits for memory. So of n threads at a time, each uses the memory for the share s of its own
// waiting, and the others for (1-1/n) U of all time: what a request sees is s + (1-1/n) B/T. The
// wait grows with T as that of a queue whose line takes 1/(1-s) times as long.
func (p *Predictor) Share(lines float64) {
	w := &p.work
	p.shared, p.durations = nonscaling.Queue{}, p.durations[:0]
	if w.Run == 0 || w.Mem == 0 || !(lines > 0) {
		return
	}
	lines = p.lines(lines)
	dur, run, mem := float64(w.Busy), float64(w.Run), float64(w.Mem)
	busy := min(lines*p.latencies.LineNs*p.perNs, dur)
	own := min(busy/mem, maxOwnUse)
	l := p.latencies
	l.MemoryNs += l.LineNs * own / (1 - own)
	l.LineNs /= 1 - own
	others := min(busy*(1-dur/run)/(1-own), maxOthersUse*dur)
	mean := nonscaling.Parts{Dur: w.Busy, Mem: int64(mem * dur / run), Busy: int64(others)}
	p.shared = mean.Queue(&l)
}

// maxOwnUse is the highest use of the memory by a thread's own requests that is believed: some four
// lines in flight, at 5 ns each in 71. Where memory moves more lines while a thread waits, it does
// not wait for most of those.
const maxOwnUse = 0.3

// maxOthersUse is the highest use by others that is believed of a whole quantum. Where they use the
// memory for more it is saturated in parts of the quantum, and those do not get longer. Simulated,
// a program that streams took 13.5 % of a budget of 10 without the bound, 9.7 with this and 9.1
// with 0.65; those that use less are not concerned.
const maxOthersUse = 0.7

// sharing returns the duration t with the threads' waits for each other at the memory.
func (p *Predictor) sharing(t float64) float64 {
	if p.shared.Empty() {
		return t
	}
	w := &p.work
	idle, busy := float64(w.Measured-w.Busy-w.Waited), 1.0
	if w.Waited > 0 {
		busy = float64(w.Busy) / float64(w.Busy+w.Waited)
	}
	return idle + p.shared.Among((t-idle)*busy)/busy
}

// queued returns the growth of a thread's wait for memory, per ns of it, where all threads together
// run for as long as running if memory answers as fast as at the base. The lines move while threads
// run, whoever waits for whom and whatever lead a thread has: so their running time says how fast
// lines come, and each thread waits longer in proportion to its own waiting.
func (p *Predictor) queued(running float64) float64 {
	if p.shared.Empty() {
		return 0
	}
	mean := running * float64(p.work.Busy) / float64(p.work.Run)
	longer := p.shared.Among(mean) - mean
	return longer * float64(p.work.Run) / float64(p.work.Busy) / float64(p.work.Mem)
}
