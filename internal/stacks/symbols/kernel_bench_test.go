package symbols

import (
	"bytes"
	"os"
	"testing"
)

// BenchmarkKernel: the kernel's own symbols, which a run reads at its end, without the kernel's
// writing of them.
func BenchmarkKernel(b *testing.B) {
	text, err := os.ReadFile("/proc/kallsyms")
	if err != nil {
		b.Skip(err)
	}
	for b.Loop() {
		if _, err := parseKernel(bytes.NewReader(text), nil); err != nil {
			b.Fatal(err)
		}
	}
}
