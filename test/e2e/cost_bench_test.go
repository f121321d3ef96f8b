package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// These benchmarks measure the whole command, where those of epochs/bpf measure tracing alone
// against other tools. Run them with -benchtime 1x, as make bench does: one iteration is a run of
// the program.

// runs is the number of runs whose median is reported.
const runs = 3

// governed runs a program under ebb and returns its report. Flags of ebb's may stand before the
// program.
func governed(b *testing.B, argv ...string) runReport {
	b.Helper()
	path := filepath.Join(b.TempDir(), "r.json")
	args := []string{"run", "--quiet", "--report", path}
	for strings.HasPrefix(argv[0], "--") {
		args, argv = append(args, argv[0]), argv[1:]
	}
	cmd := exec.Command(ebbPath(b), append(append(args, "--"), argv...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return readReport(b, path)
}

// own reports the median over some runs of what ebb itself used.
func own(b *testing.B, argv ...string) {
	b.Helper()
	needRoot(b)
	var cpu, memory, epochs, lost []float64
	for b.Loop() {
		for range runs {
			r := governed(b, argv...)
			seconds := float64(r.WallNS) / 1e9
			cpu = append(cpu, float64(r.OwnCPUNS)/1e9/seconds*100)
			memory = append(memory, float64(r.OwnRSSBytes)/(1<<20))
			epochs = append(epochs, float64(r.Epochs)/seconds)
			lost = append(lost, float64(*r.LostRecords))
		}
	}
	b.ReportMetric(0, "ns/op") // the program's time says nothing
	b.ReportMetric(median(cpu), "own-cpu-%")
	b.ReportMetric(median(memory), "own-MiB")
	b.ReportMetric(median(epochs), "epochs/s")
	b.ReportMetric(slices.Max(lost), "lost-records")
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}

func BenchmarkOwnUseJava(b *testing.B) { own(b, workload(b, "java-contend", "4", "4")...) }

// BenchmarkOwnUseIdle: a program that sleeps costs nothing but loading.
func BenchmarkOwnUseIdle(b *testing.B) { own(b, "sleep", "4") }

// BenchmarkSwitchRate has ping-pongs on two CPUs switch as fast as this machine can, and reports
// what ebb followed.
func BenchmarkSwitchRate(b *testing.B) {
	needRoot(b)
	pair := strings.Join(workload(b, "pingpong", "400000"), " ")
	script := fmt.Sprintf("taskset -c 0 %[1]s & taskset -c 1 %[1]s & wait", pair)
	if _, err := os.Stat("/sys/devices/system/cpu/cpu1"); err != nil {
		script = pair
	}
	var r runReport
	for b.Loop() {
		r = governed(b, "sh", "-c", script)
	}
	var switches float64
	for _, th := range r.Threads {
		switches += float64(th.Switches)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(switches/(float64(r.WallNS)/1e9), "switches/s")
	b.ReportMetric(float64(*r.LostRecords), "lost-records")
	b.ReportMetric(float64(r.OwnRSSBytes)/(1<<20), "own-MiB")
	b.ReportMetric(float64(r.OwnCPUNS)/float64(r.WallNS)*100, "own-cpu-%")
}
