package e2e

import "testing"

// BenchmarkOwnUseMethods measures what ebb itself uses while it samples stacks. The benchmarks of
// stacks and internal/energy/attribution measure the cost to the program.
func BenchmarkOwnUseMethods(b *testing.B) {
	own(b, append([]string{"--methods"}, workload(b, "java-contend", "4", "4")...)...)
}
