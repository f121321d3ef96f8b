package bpf

import "github.com/cilium/ebpf"

// Followed returns the map whose storage marks the followed threads (thread.h), for other programs
// in the kernel that observe the same threads. It is the tracer's, and closed with it.
func (t *Tracer) Followed() *ebpf.Map { return t.objects.Threads }
