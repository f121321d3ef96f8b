package sysfs

import (
	"strconv"
	"strings"
	"testing"
)

// FuzzDecimal holds the reader of the fast path against the standard library's.
func FuzzDecimal(f *testing.F) {
	f.Add([]byte("2400000\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, ok := parseDecimal(b)
		text := strings.TrimSuffix(string(b), "\n")
		want, err := strconv.ParseUint(text, 10, 63)
		if isNumber := err == nil && len(text) <= 18; ok != isNumber || ok && got != int64(want) {
			t.Fatalf("%q: %d, %v; want %d, %v", b, got, ok, want, err)
		}
	})
}
