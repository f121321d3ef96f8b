package symbols

import (
	"runtime"
	"testing"
)

// addressOf is an address within itself.
//
//go:noinline
func addressOf(t *testing.T) uint64 {
	pc, _, _, ok := runtime.Caller(0)
	if !ok {
		t.Fatal("no caller")
	}
	return uint64(pc)
}
