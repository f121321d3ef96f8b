package bpf

import "time"

// Exited waits, at most for d, until every thread whose end the kernel has reported has switched
// for the last time, and reports whether all have. A process that waits for another learns of its
// end a little earlier: the last thread is then about to stop, and its last slice and its totals
// are not in the ring yet. Any goroutine may call it, even when the Tracer is closed, when it
// returns true. TenantExited is for several tenants.
func (t *Tracer) Exited(d time.Duration) bool {
	return t.TenantExited(0, d)
}
