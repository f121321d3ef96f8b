package devtest

import (
	"runtime/metrics"
	"testing"
)

const allocated = "/gc/heap/allocs:bytes"

// BoundedMemory calls f and fails the test if more bytes were allocated while it ran: freed memory
// also counts, so it bounds the time as well. Other goroutines should rest.
func BoundedMemory(t testing.TB, most uint64, f func()) {
	t.Helper()
	before := read()
	f()
	if used := read() - before; used > most {
		t.Errorf("%d bytes were allocated, of which at most %d should be", used, most)
	}
}

func read() uint64 {
	sample := []metrics.Sample{{Name: allocated}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
