package e2e

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// methodsPairs is how many interleaved pairs a cost is the median of.
const methodsPairs = 7

// BenchmarkMethodsCost tells what looking at stacks costs a contended Java program over ebb run without: the median of
// interleaved ratios of the working threads' CPU time per operation, in permille more. What the options cost that have the
// Java machine keep frame pointers stands apart.
func BenchmarkMethodsCost(b *testing.B) {
	needRoot(b)
	java := workload(b, "java-contend", "4", "3")
	kept := append([]string{java[0], "-XX:+PreserveFramePointer"}, java[1:]...)
	perOperation := func(argv []string, flags ...string) float64 {
		path := filepath.Join(b.TempDir(), "r.json")
		args := append(append([]string{"run", "--quiet", "--report", path}, flags...), "--")
		cmd := exec.Command(ebbPath(b), append(args, argv...)...)
		var out bytes.Buffer
		cmd.Stdout = &out
		if err := cmd.Run(); err != nil {
			b.Fatalf("%v: %s", err, &out)
		}
		var run int64
		for _, th := range readReport(b, path).Threads {
			if strings.HasPrefix(th.Comm, "worker") {
				run += th.RunNS
			}
		}
		var ops float64
		for line := range strings.Lines(out.String()) {
			if _, err := fmt.Sscanf(line, "ops=%f", &ops); err == nil {
				break
			}
		}
		if ops == 0 || run == 0 {
			b.Fatalf("%d ns of run time, output %s", run, &out)
		}
		return float64(run) / ops
	}
	var sampled, options []float64
	for b.Loop() {
		perOperation(java) // a first one, which counts for nothing
		for range methodsPairs {
			plain, with, both := perOperation(java), perOperation(kept), perOperation(kept, "--methods")
			options = append(options, (with/plain-1)*1000)
			sampled = append(sampled, (both/with-1)*1000)
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(sampled), "sampling-permille")
	b.ReportMetric(median(options), "jvm-options-permille")
}

// BenchmarkOwnUseMethods is what ebb itself uses when it looks at stacks.
func BenchmarkOwnUseMethods(b *testing.B) {
	own(b, append([]string{"--methods"}, workload(b, "java-contend", "4", "4")...)...)
}
