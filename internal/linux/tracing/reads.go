package tracing

import (
	_ "unsafe" // for go:linkname

	_ "github.com/cilium/ebpf" // is initialised before
)

// haveProbeReadKernel is the library's question whether the kernel knows the helpers that Linux 5.5
// has split bpf_probe_read into. Where it does not, the library turns every read into the old one,
// those of the program's own memory among them. A kernel in lockdown (confidentiality) refuses the
// helper that the library tries, and with it the old one, but not reads of the program's memory.
// Every kernel that ebb serves knows all of them, so it is not asked.
//
//go:linkname haveProbeReadKernel github.com/cilium/ebpf.haveProbeReadKernel
var haveProbeReadKernel func() error

func init() { haveProbeReadKernel = func() error { return nil } }
