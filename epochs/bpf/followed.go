package bpf

import "github.com/cilium/ebpf"

// Followed is the map whose storage tells the threads that are followed (thread.h), for other
// programs in the kernel that look at the same threads. It is the tracer's, and closed with it.
func (t *Tracer) Followed() *ebpf.Map { return t.objects.Threads }
