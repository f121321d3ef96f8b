package methods

import (
	"testing"

	"github.com/ebb-energy/ebb/internal/sandbox"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/predictor/sensitivity"
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
	n := &sensitive{sampling: &sampling{origins: sandbox.NewOrigins(noReader{}, true)},
		recorder: sensitivity.NewRecorder()}
	for i := range 1000 {
		at := units.Instant(1e9 + i*1e6)
		n.hold(waiting{slice: sensitivity.Slice{Thread: 1, From: at - 1e6, To: at, Clock: 1e9},
			at: at})
		n.hold(waiting{sample: true, slice: sensitivity.Slice{Thread: 1}, pid: 1,
			addr: uint64(i), at: at, until: n.ticks + maxTicks})
	}
	for range maxTicks {
		if len(n.held) == 0 {
			t.Fatal("their functions were not waited for")
		}
		n.resolve(false)
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

// oneReader knows the image that it was asked about last.
type oneReader struct{ image protocol.Image }

func (r *oneReader) Bind(image protocol.Image, _ int)                      { r.image = image }
func (*oneReader) Forget(protocol.Image)                                   {}
func (*oneReader) AskOrigins(q *protocol.AskOrigins, _ units.Instant) bool { return true }

// TestMethodsOfAnEndedProgram: what a Java virtual machine has compiled is known of a sample once
// it was read, also while an earlier sample's function is waited for, and after the program's end.
func TestMethodsOfAnEndedProgram(t *testing.T) {
	r := &oneReader{}
	n := &sensitive{sampling: &sampling{origins: sandbox.NewOrigins(r, true)},
		recorder: sensitivity.NewRecorder()}
	sample := func(addr uint64, at units.Instant) {
		n.origins.Find(1, addr)
		n.hold(waiting{sample: true, slice: sensitivity.Slice{Thread: 1}, pid: 1, addr: addr,
			at: at, until: n.ticks + maxTicks})
	}
	n.origins.Tick(1e9)
	sample(7, 1e9) // of a file that takes long to read
	for i := range units.Instant(100) {
		at := 1e9 + i*1e6
		n.hold(waiting{slice: sensitivity.Slice{Thread: 1, From: at, To: at + 1e6, Fixed: 5e5,
			Cycles: 1e6, Clock: 2e9}, at: at + 1e6})
		sample(100, at+1e6)
		n.origins.Tick(at + 1e6)
		if i == 10 {
			n.origins.Take(r.image, []protocol.Origin{{Start: 90, End: 200, Made: true, Class: "C",
				Function: "f", Signature: "()V"}})
		}
		n.resolve(false)
	}
	n.origins.Replaced(1)
	n.resolve(true)
	table, _ := n.recorder.Table()
	if len(table.Functions) != 1 || table.Functions[0].Class != "C" ||
		table.Functions[0].Slices < 90 {
		t.Errorf("%+v", table.Functions)
	}
}
