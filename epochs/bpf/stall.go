package bpf

import "time"

// Watch has the kernel's programs watch the reader from now on: Alarm becomes readable when Next
// has not been called for limit, to a quarter more, though a bell rang. It costs nothing while the
// target sleeps, because it watches only whether bells are heard. A limit of 0 ends it. A Tracer
// that is not Timed watches nothing.
func (t *Tracer) Watch(limit time.Duration) { t.shared.watchReader(limit) }

// Alarm is a descriptor that poll(2) finds readable once the reader has stalled, and from then on.
// It is the Tracer's; it is for another process, which gets it over a socket.
func (t *Tracer) Alarm() int { return t.objects.Alarm.FD() }
