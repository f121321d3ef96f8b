package predictor

// Share says how many lines the memory moved, for everybody, in the time of the epochs since the last Reset. Predictions then
// reckon with how long threads wait there for each other ("Others at the memory" in the package's documentation), for all the
// epochs together.
//
// What the columns of an epoch say of the memory in it (Config.Unit) can not replace this: where threads make bursts of
// requests, as those do that zero what they allocate, the bursts of two meet the more often the faster the work between them
// is done, and an epoch tells only of those that met in it.
func (p *Predictor) Share(lines float64) {
	w := &p.work
	p.shared = queue{}
	if w.run == 0 || w.mem == 0 || !(lines > 0) {
		return
	}
	mem := float64(w.mem) * float64(w.busy) / float64(w.run) // of a mean thread
	all := parts{dur: w.busy, mem: int64(mem), busy: int64(min(lines*p.machine.LineNs*p.perNs, float64(w.busy)))}
	p.shared = all.queue(&p.machine)
}

// sharing is a duration with the waits for each other at the memory.
func (p *Predictor) sharing(t float64) float64 {
	if p.shared.wait == 0 {
		return t
	}
	idle := float64(p.work.measured - p.work.busy)
	return idle + p.shared.among(t-idle)
}

// among is the time of what would take b if memory answered as fast as at the base, b at the base included.
func (q *queue) among(b float64) float64 { return b + (q.with(b) - b - q.less) }
