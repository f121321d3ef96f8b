package series

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/agent/internal/names"
)

// BenchmarkApply names 1,000 pods of three zones each.
func BenchmarkApply(b *testing.B) {
	source := known{}
	var text strings.Builder
	for n := range 1000 {
		id := fmt.Sprintf("%012x", n)
		source[id] = names.Container{Namespace: fmt.Sprint("ns-", n%20), Pod: fmt.Sprint("pod-", n),
			Container: "main"}
		for _, zone := range []string{"package-0", "cores-0", "dram-0"} {
			fmt.Fprintf(&text, "ebb_group_energy_joules_total{kind=\"pod\",name=\"74-%d/%s\","+
				"zone=%q,source=\"measured\"} 3.000000000\n", n, id, zone)
		}
	}
	r := New(source)
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		if _, err := r.Apply(text.String()); err != nil {
			b.Fatal(err)
		}
	}
}
