package e2e

import "testing"

// BenchmarkOwnUseMethods is what ebb itself uses when it looks at stacks. What that costs the
// program is measured in stacks and energy/attribution.
func BenchmarkOwnUseMethods(b *testing.B) {
	own(b, append([]string{"--methods"}, workload(b, "java-contend", "4", "4")...)...)
}
