package bpf

import (
	"bytes"
	"testing"
	"time"

	"github.com/cilium/ebpf/btf"
)

// TestReportsState: Linux 5.18 added the state to what sched_switch reports.
func TestReportsState(t *testing.T) {
	for params, want := range map[int]bool{4: false, 5: true} {
		proto := &btf.FuncProto{Return: &btf.Void{}}
		for range params {
			proto.Params = append(proto.Params, btf.FuncParam{Type: &btf.Pointer{
				Target: &btf.Void{}}})
		}
		b, err := btf.NewBuilder([]btf.Type{&btf.Typedef{Name: "btf_trace_sched_switch",
			Type: &btf.Pointer{Target: proto}}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := b.Marshal(nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		types, err := btf.LoadSpecFromReader(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		if got := reportsState(types); got != want {
			t.Errorf("with %d parameters: %v", params, got)
		}
	}
}

// TestNothingMissing: a kernel on which the programs load lacks nothing.
func TestNothingMissing(t *testing.T) {
	openTracer(t, Config{Quantum: 5 * time.Millisecond})
	if got := missing(); got != "" {
		t.Errorf("it is said to have no %s", got)
	}
}
