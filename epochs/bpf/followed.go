package bpf

import "github.com/cilium/ebpf"

// Followed returns the map whose entries mark the followed threads (thread.h), for other programs
// in the kernel that observe the same threads. The tracer owns and closes it.
func (t *Tracer) Followed() *ebpf.Map { return t.objects.Threads }
