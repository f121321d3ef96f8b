package sandbox

import (
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
)

// TestThreadNames: a thread has the name that came last, as text, while its image is wanted; what a
// child sends beyond the bounds is not kept.
func TestThreadNames(t *testing.T) {
	h := &Host{}
	for _, list := range [][]protocol.Thread{
		{{ID: 7, Name: "first"}, {ID: 8, Name: "a\x1b[31mb\n"}}, {{ID: 7, Name: "second"}},
	} {
		packet, n := protocol.Threads(3, list)
		if err := h.take(packet); err != nil || n != len(list) {
			t.Fatal(n, err)
		}
	}
	for id, want := range map[uint32]string{7: "second", 8: "a?[31mb?", 9: ""} {
		if got := h.ThreadName(3, id); got != want {
			t.Errorf("thread %d: %q, want %q", id, got, want)
		}
	}
	if got := h.ThreadName(4, 7); got != "" {
		t.Errorf("another image's: %q", got)
	}
	for range 2 * maxThreadBytes / 1000 {
		h.threads.add(3, []protocol.Thread{{ID: 7, Name: strings.Repeat("y", 1000)}})
	}
	h.threads.add(3, []protocol.Thread{{ID: 7, Name: "third"}})
	if got := h.ThreadName(3, 7); got != "third" || len(h.Problems()) > 0 {
		t.Errorf("a thread that has another name each time: %q, %q", got, h.Problems())
	}
	h.threads.forget(3)
	if got := h.ThreadName(3, 7); got != "" || h.threads.count != 0 || h.threads.bytes != 0 {
		t.Errorf("of a forgotten image: %q, %d", got, h.threads.count)
	}
	for id := range uint32(2 * maxThreads) {
		h.threads.add(5, []protocol.Thread{{ID: id, Name: "x"}})
	}
	if n := len(h.threads.names[5]); n != maxThreads || len(h.Problems()) != 1 {
		t.Errorf("%d threads are kept, %q", n, h.Problems())
	}
	for image := range protocol.Image(100) {
		h.threads.add(6+image, []protocol.Thread{{ID: 1}})
	}
	if n := len(h.threads.names); n != 1 {
		t.Errorf("%d images are kept, of which one has threads", n)
	}
	long := strings.Repeat("x", maxThreadBytes)
	h.threads.add(5, []protocol.Thread{{ID: 1, Name: long}})
	if h.ThreadName(5, 1) != "x" {
		t.Error("more bytes than the bound are kept")
	}
}
