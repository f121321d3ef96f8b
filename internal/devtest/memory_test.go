package devtest

import "testing"

// fake counts failures.
type fake struct {
	testing.TB
	failed int
}

func (f *fake) Errorf(string, ...any) { f.failed++ }
func (f *fake) Helper()               {}

var kept []byte

func TestMemory(t *testing.T) {
	f := &fake{TB: t}
	if BoundedMemory(f, 4<<20, func() { kept = make([]byte, 1<<20) }); f.failed != 0 {
		t.Error("less than the bound fails")
	}
	if BoundedMemory(f, 1<<20, func() { kept = make([]byte, 4<<20) }); f.failed != 1 {
		t.Error("more than the bound does not fail")
	}
}
