package bpf

import (
	"testing"

	"github.com/cilium/ebpf/btf"
)

func checkStruct(t *testing.T, types *btf.Spec, name string, size uint32) {
	t.Helper()
	var s *btf.Struct
	if err := types.TypeByName(name, &s); err != nil {
		t.Error(err)
	} else if s.Size != size {
		t.Errorf("struct %s has %d bytes, the decoder takes %d", name, s.Size, size)
	}
}

func checkEnum(t *testing.T, types *btf.Spec, name string, want map[string]uint64) {
	t.Helper()
	var e *btf.Enum
	if err := types.TypeByName(name, &e); err != nil {
		t.Error(err)
		return
	}
	for _, v := range e.Values {
		if w, ok := want[v.Name]; ok && w != v.Value {
			t.Errorf("%s is %d in C and %d in Go", v.Name, v.Value, w)
		}
		delete(want, v.Name)
	}
	for name := range want {
		t.Errorf("%s is not in the programs", name)
	}
}
