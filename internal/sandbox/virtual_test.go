package sandbox

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/units"
)

// TestVirtualNames: a virtual thread has the name that came last, as text, while its image is
// wanted; what a child sends beyond the bounds is not kept.
func TestVirtualNames(t *testing.T) {
	h := &Host{bound: newBindings(), deaths: map[protocol.Image]int{}, codes: newCodes()}
	for _, list := range [][]protocol.Virtual{
		{{ID: 7, Name: "first"}, {ID: 1 << 40, Name: "a\x1b[31mb\n"}}, {{ID: 7, Name: "second"}},
	} {
		packet, n := protocol.VirtualThreads(3, list)
		if err := h.take(packet); err != nil || n != len(list) {
			t.Fatal(n, err)
		}
	}
	for id, want := range map[uint64]string{7: "second", 1 << 40: "a?[31mb?", 9: ""} {
		if got := h.VirtualName(3, id); got != want {
			t.Errorf("virtual thread %d: %q, want %q", id, got, want)
		}
	}
	if got := h.VirtualName(4, 7); got != "" {
		t.Errorf("another image's: %q", got)
	}
	h.Forget(3)
	if got := h.VirtualName(3, 7); got != "" || h.virtual.count != 0 {
		t.Errorf("of a forgotten image: %q, %d", got, h.virtual.count)
	}
	for id := range uint64(2 * maxVirtual) {
		h.virtual.add(5+protocol.Image(id%2), []protocol.Virtual{{ID: id, Name: "x"}})
	}
	if n := len(h.virtual.names[5]) + len(h.virtual.names[6]); n != maxVirtual {
		t.Errorf("%d names are kept", n)
	}
	if said := h.Problems(); len(said) != 1 || h.virtual.beyond != maxVirtual {
		t.Errorf("%d have no room: %q", h.virtual.beyond, said)
	}
	h.virtual.add(7, []protocol.Virtual{{ID: 1}})
	h.virtual.add(5, []protocol.Virtual{{ID: 2, Name: strings.Repeat("x", maxVirtualBytes)}})
	if n := len(h.virtual.names); n != 2 || h.VirtualName(5, 0)+h.VirtualName(5, 2) != "x" {
		t.Errorf("more than the bound is kept: %d images", n)
	}
	h.virtual.add(5, []protocol.Virtual{{ID: 2, Name: "x"}}) // in the place of the long one
	h.SpareVirtual(5, 4, true)
	h.SpareVirtual(5, 4, true)
	h.SpareVirtual(5, 6, true)
	h.SpareVirtual(5, 8, true)
	h.SpareVirtual(5, 8, false) // it has a line again
	h.virtual.add(6, []protocol.Virtual{{ID: 1 << 30, Name: "late"}, {ID: 1 << 31, Name: "later"},
		{ID: 1 << 32, Name: "too late"}})
	for id, want := range map[uint64]string{1 << 30: "late", 1 << 31: "later", 1 << 32: ""} {
		if got := h.VirtualName(6, id); got != want {
			t.Errorf("virtual thread %d, when two names were spare: %q, want %q", id, got, want)
		}
	}
	if h.VirtualName(5, 4) != "" || h.VirtualName(5, 8) != "x" || h.virtual.spares != 0 {
		t.Errorf("spare names: %q, %q, %d", h.VirtualName(5, 4), h.VirtualName(5, 8),
			h.virtual.spares)
	}
	for image := range h.virtual.names {
		h.Forget(image)
	}
	for image := range protocol.Image(9) {
		h.virtual.add(image, []protocol.Virtual{{ID: 1, Name: "x"}, {ID: 1,
			Name: strings.Repeat("x", maxVirtualBytes+1)}})
		h.virtual.add(image, []protocol.Virtual{{ID: 2, Name: "x"}})
		h.SpareVirtual(image, 2, true)
		h.virtual.clear()
	}
	if n := len(h.virtual.names); n > 0 || h.virtual.count > 0 {
		t.Errorf("%d images without names are kept", n)
	}
}

// TestCarriers: a process's carriers are handed on with the id that Bind was called with, and taken
// back once when the process is replaced or forgotten. Those of an image that is no process's, or
// is not any more, are not.
func TestCarriers(t *testing.T) {
	h := &Host{bound: newBindings(), deaths: map[protocol.Image]int{}, codes: newCodes()}
	for image, pid := range map[protocol.Image]int{3: 70, 4: 80} {
		h.bound.given[image] = pid
	}
	one := []protocol.Carrier{{Block: 1, At: 2, Field: 3, Own: 4}}
	now := units.Instant(time.Second)
	hand := func() {
		now = now.Add(carryEvery)
		h.virtual.hand(now, h.bound.given)
		h.virtual.hand(now.Add(carryEvery-1), h.bound.given) // too soon for another list
	}
	if err := h.take(protocol.Carriers(3, one)); err != nil {
		t.Fatal("nobody wants them: ", err)
	}
	hand()
	type handed struct {
		pid  int
		list []protocol.Carrier
	}
	var got []handed
	h.Carriers(func(pid int, list []protocol.Carrier) { got = append(got, handed{pid, list}) })
	for _, image := range []protocol.Image{3, 4, 9} {
		for _, list := range [][]protocol.Carrier{nil, one} { // the newest
			if err := h.take(protocol.Carriers(image, list)); err != nil {
				t.Fatal(err)
			}
		}
		hand()
	}
	if err := h.take(protocol.Carriers(3, one)); err != nil {
		t.Fatal(err)
	}
	h.Unbind(3)
	if err := h.take(protocol.Carriers(3, one)); err != nil {
		t.Fatal(err)
	}
	hand()
	h.Forget(3)
	h.Forget(4)
	want := []handed{{70, one}, {80, one}, {70, nil}, {80, nil}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if err := h.take(append(protocol.Carriers(3, one), 0)); err == nil {
		t.Error("a malformed packet was taken")
	}
}
