package bpf

import "time"

// Exited waits until every thread whose end the kernel has told of has switched for the last time,
// at most for d, and says whether it came to that. Who waits for a process is told of its end a
// little earlier: the last thread is then about to stop, and what it ran and its totals are not in
// the ring yet.
func (t *Tracer) Exited(d time.Duration) bool {
	const step = 50 * time.Microsecond
	for until := time.Now().Add(d); t.shared.exiting() > 0; time.Sleep(step) {
		if !time.Now().Before(until) {
			return false
		}
	}
	return true
}
