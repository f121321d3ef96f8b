package attribution

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const (
	optionRounds  = 12
	optionBatches = 400
)

// BenchmarkCostOptions reports the cost of the options that make a Java machine write its symbols.
// Two machines do the same work side by side on one CPU, one with the options and one without, so
// that a disturbance hits both. The benchmark compares the 20th percentiles of the time that each
// needs for a batch of work: it reports the median over the rounds, and the second lowest and
// second highest, between which the true median lies with 99 %. Use -benchtime=1x.
func BenchmarkCostOptions(b *testing.B) {
	for _, tool := range []string{"javac", "java", "taskset"} {
		if _, err := exec.LookPath(tool); err != nil {
			b.Skip("needs ", tool, ": ", err)
		}
	}
	classes := b.TempDir()
	if out, err := exec.Command("javac", "-d", classes,
		"../../../test/workloads/java/Batches.java").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	var more []float64
	for b.Loop() {
		for round := range optionRounds {
			var machines [2]*exec.Cmd
			var out [2]bytes.Buffer
			for i := range machines {
				which := (i + round) % 2 // neither always comes first
				args := []string{"-c", "1", "java", "-XX:+UseSerialGC", "-cp", classes, "Batches",
					"1", "600", fmt.Sprint(optionBatches)}
				if which == 1 {
					args = slices.Insert(args, 3,
						append(slices.Clone(JVMOptions), framePointers)...)
				}
				machines[which] = exec.Command("taskset", args...)
				machines[which].Stdout, machines[which].Stderr = &out[which], os.Stderr
				if err := machines[which].Start(); err != nil {
					b.Fatal(err)
				}
			}
			for _, m := range machines {
				if err := m.Wait(); err != nil {
					b.Fatal(err)
				}
			}
			// its options had it written
			_ = os.Remove(fmt.Sprintf("/tmp/perf-%d.map", machines[1].Process.Pid))
			more = append(more, math.Log(undisturbed(b, out[1].String())/undisturbed(b,
				out[0].String())))
		}
	}
	slices.Sort(more)
	n := len(more)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(100*math.Expm1((more[(n-1)/2]+more[n/2])/2), "%more")
	b.ReportMetric(100*math.Expm1(more[1]), "%low")
	b.ReportMetric(100*math.Expm1(more[n-2]), "%high")
}

// undisturbed is the 20th percentile of the batches' CPU time.
func undisturbed(b *testing.B, out string) float64 {
	b.Helper()
	var batches []float64
	for line := range strings.Lines(out) {
		var end, cpu float64
		if _, err := fmt.Sscanf(line, "batch end=%f cpu=%f", &end, &cpu); err == nil {
			batches = append(batches, cpu)
		}
	}
	if len(batches) < optionBatches {
		b.Fatalf("%d batches: %.300q", len(batches), out)
	}
	slices.Sort(batches)
	return batches[len(batches)/5]
}
