// Package bounded is for tests of parsers: it fails one that makes much of little.
package bounded

import (
	"runtime/metrics"
	"testing"
)

const allocated = "/gc/heap/allocs:bytes"

// Memory calls f and fails the test if more bytes were allocated while it ran: freed memory also
// counts, so it bounds the time as well. Other goroutines should rest.
func Memory(t testing.TB, most uint64, f func()) {
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
