package bpf

import (
	"errors"
	"strings"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/btf"
	"github.com/cilium/ebpf/features"
)

// missing names what the programs need and this kernel lacks, of what came last; "" where nothing
// of it is missing, or that is unknown.
func missing() string {
	var lacks []string
	err := features.HaveProgramHelper(ebpf.RawTracepoint, asm.FnLoop)
	if errors.Is(err, ebpf.ErrNotSupported) {
		lacks = append(lacks, "bpf_loop (Linux 5.17)")
	}
	if types, err := btf.LoadKernelSpec(); err == nil && !reportsState(types) {
		lacks = append(lacks, "state in sched_switch (Linux 5.18)")
	}
	return strings.Join(lacks, " and no ")
}

// reportsState says whether sched_switch reports the state that a thread leaves in. It reports the
// kernel's own data, whether the thread was preempted, the two threads, and then the state.
func reportsState(types *btf.Spec) bool {
	var t *btf.Typedef
	if types.TypeByName("btf_trace_sched_switch", &t) != nil {
		return true // unknown
	}
	p, ok := t.Type.(*btf.Pointer)
	if !ok {
		return true
	}
	f, ok := p.Target.(*btf.FuncProto)
	return !ok || len(f.Params) >= 5
}
