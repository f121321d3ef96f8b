package bpf

import "time"

// Watch makes the kernel's programs watch the reader from the call on. Alarm becomes readable when
// Next has not been called for limit, or up to a quarter more, though a bell rang. It costs nothing
// while the target sleeps, because only unheard bells are watched. A limit of 0 ends it. A Tracer
// that is not Timed watches nothing.
func (t *Tracer) Watch(limit time.Duration) { t.shared.watchReader(limit) }

// Alarm returns a descriptor that poll(2) finds readable from the reader's first stall on. The
// Tracer owns it; it is meant for another process, which gets it over a socket.
func (t *Tracer) Alarm() int { return t.objects.Alarm.FD() }
