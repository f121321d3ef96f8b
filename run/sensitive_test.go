package run

import (
	"testing"

	"github.com/ebb-energy/ebb/sandbox/protocol"
	"github.com/ebb-energy/ebb/sensitivity"
	"github.com/ebb-energy/ebb/stacks/places"
	"github.com/ebb-energy/ebb/units"
)

// noReader knows of no mapping.
type noReader struct{}

func (noReader) Bind(protocol.Image, int)                            {}
func (noReader) Forget(protocol.Image)                               {}
func (noReader) AskOrigins(*protocol.AskOrigins, units.Instant) bool { return true }

// TestUnknownCodeHoldsNothingUp: samples in code of no file, such as that of a runtime's compiler,
// are waited for together, and not one after the other.
func TestUnknownCodeHoldsNothingUp(t *testing.T) {
	n := &sensitive{sampling: &sampling{places: places.New(noReader{}, true)},
		recorder: sensitivity.NewRecorder()}
	for i := range 1000 {
		at := units.Instant(1e9 + i*1e6)
		n.hold(unsettled{slice: sensitivity.Slice{Thread: 1, From: at - 1e6, To: at, Clock: 1e9},
			at: at})
		n.hold(unsettled{sample: true, slice: sensitivity.Slice{Thread: 1}, pid: 1,
			addr: uint64(i), at: at, until: n.ticks + maxTicks})
	}
	for range maxTicks {
		if len(n.held) == 0 {
			t.Fatal("their functions were not waited for")
		}
		n.settle(false)
	}
	if len(n.held) > 0 || n.lost > 0 {
		t.Errorf("%d are held, %d lost", len(n.held), n.lost)
	}
}

// TestMethodsAreRecorded: a method of Java is one function wherever its code is, and other code
// that a machine made is none.
func TestMethodsAreRecorded(t *testing.T) {
	n := &sensitive{recorder: sensitivity.NewRecorder()}
	method := protocol.Origin{Start: 1, End: 2, Made: true, Class: "C", Function: "f",
		Signature: "()V"}
	first := n.function(&method)
	again := method
	again.Start, again.End = 5, 9
	other := method
	other.Signature = "(I)V"
	stub := protocol.Origin{Start: 1, End: 2, Made: true}
	if first < 0 || n.function(&again) != first || n.function(&other) == first ||
		n.function(&stub) != -1 {
		t.Errorf("%d, again %d, another %d, none %d", first, n.function(&again),
			n.function(&other), n.function(&stub))
	}
}
