package stacks

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/epochs/bpf"
	"github.com/ebb-energy/ebb/units"
)

// costSeconds is the running time of BenchmarkCostSampling's program, costBatches the number of
// batches that it does at most. costHalvings makes a batch some 40 us long, so that other things
// rarely happen in one.
const (
	costSeconds  = 40
	costBatches  = 1 << 21
	costHalvings = 4
)

// BenchmarkCostSampling reports what a sample costs a Java program, in CPU time and at the default
// rate. Two threads repeat the same batch of work. The benchmark compares the batch that a sample
// fell into, and the one after it for what the caches lost, with the batches half a period of CPU
// time later, which no sample fell into. Samples hit long batches more often than short ones; half
// a period later that is the same, and so is the rest of the machine's work. It reports the mean of
// the differences without the tenth at either end, with a 95 % interval by bootstrap; the share of
// the CPU time that this is; and the sampling program's own part, by the kernel's account of BPF
// programs. Use -benchtime=1x.
func BenchmarkCostSampling(b *testing.B) {
	if os.Geteuid() != 0 {
		b.Skip("needs root: loads BPF programs")
	}
	for _, tool := range []string{"javac", "java"} {
		if _, err := exec.LookPath(tool); err != nil {
			b.Skip("needs ", tool, ": ", err)
		}
	}
	classes := b.TempDir()
	if out, err := exec.Command("javac", "-d", classes,
		"../../test/workloads/java/Batches.java").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	tracer, err := bpf.Open(bpf.Config{Quantum: 5 * time.Millisecond})
	if err != nil {
		b.Skip(err)
	}
	defer tracer.Close()
	sampler, err := Open(tracer.Followed(), nil, DefaultRate)
	if err != nil {
		b.Fatal(err)
	}
	defer sampler.Close()
	stats, err := ebpf.EnableStats(unix.BPF_STATS_RUN_TIME)
	if err != nil {
		b.Fatal(err)
	}
	defer stats.Close()
	cmd := exec.Command("java", "-XX:+PreserveFramePointer", "-cp", classes, "Batches", "2",
		fmt.Sprint(costSeconds), fmt.Sprint(costBatches), fmt.Sprint(costHalvings))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	err = tracer.Launch(func() (int, error) {
		if err := sampler.AttachCPUs(); err != nil {
			return 0, err
		}
		return 0, cmd.Start()
	})
	if err != nil {
		b.Fatal(err)
	}
	var ended atomic.Bool
	go func() {
		_ = cmd.Wait() // its output shows how it ended
		ended.Store(true)
		tracer.Wake()
	}()
	samples := followSamples(b, tracer, sampler, &ended)
	look, err := sampler.objects.OnClock.Stats()
	if err != nil {
		b.Fatal(err)
	}
	threads, err := tracer.Threads()
	if err != nil {
		b.Fatal(err)
	}
	var more []float64
	for i, worker := range batchesOf(out.String()) {
		at := slices.IndexFunc(threads,
			func(t bpf.Thread) bool { return t.Comm == fmt.Sprint("worker-", i) })
		if at < 0 {
			b.Fatalf("no thread worker-%d among %v", i, threads)
		}
		more = append(more, worker.cost(samples[threads[at].TID])...)
	}
	if len(more) < 200 {
		b.Fatalf("%d samples to compare; the program wrote %.300q", len(more), out.String())
	}
	lo, hi := bootstrap(more)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(trimmed(more)/1e3, "us/sample")
	b.ReportMetric(lo/1e3, "us-low")
	b.ReportMetric(hi/1e3, "us-high")
	b.ReportMetric(100*DefaultRate*trimmed(more)/1e9, "%more")
	b.ReportMetric(float64(look.Runtime.Microseconds())/float64(look.RunCount), "us/look")
	b.ReportMetric(float64(len(more)), "samples")
}

// followSamples drains tracer and sampler as a governor does. It returns the times at which each
// thread was sampled.
func followSamples(
	b *testing.B, tracer *bpf.Tracer, sampler *Sampler, ended *atomic.Bool,
) map[epochs.TID][]units.Instant {
	b.Helper()
	buf := make([]epochs.Event, 512)
	samples := map[epochs.TID][]units.Instant{}
	for !ended.Load() {
		if _, err := tracer.Next(buf); err != nil {
			b.Fatal(err)
		}
		if err := sampler.Drain(func(s *Sample) bool {
			samples[s.Thread] = append(samples[s.Thread],
				s.At)
			return true
		}); err != nil {
			b.Fatal(err)
		}
	}
	return samples
}

// worker is the batches of a thread: when each ended, and what CPU time the thread had then used
// since the first one's end.
type worker struct {
	end []units.Instant
	cpu []int64
}

// batchesOf reads what the program prints.
func batchesOf(out string) (workers []worker) {
	for line := range strings.Lines(out) {
		var end, cpu int64
		var thread int
		if _, err := fmt.Sscanf(line, "batch end=%d cpu=%d thread=%d", &end, &cpu,
			&thread); err != nil {
			break
		}
		if thread == len(workers) {
			workers = append(workers, worker{})
			cpu = 0
		}
		w := &workers[thread]
		if n := len(w.cpu); n > 0 {
			cpu += w.cpu[n-1]
		}
		w.end, w.cpu = append(w.end, units.Instant(end)), append(w.cpu, cpu)
	}
	return workers
}

// cost returns the CPU time that each sampled batch and the one after it took beyond those half a
// period later, in ns.
func (w *worker) cost(samples []units.Instant) (more []float64) {
	const half = int64(time.Second) / DefaultRate / 2
	for _, at := range samples {
		i, _ := slices.BinarySearch(w.end, at)
		if i < 1 || i+1 >= len(w.end) {
			continue
		}
		// The sample's place in CPU time, by its place in the batch.
		took := w.cpu[i] - w.cpu[i-1]
		place := w.cpu[i-1] + int64(
			float64(took)*float64(at-w.end[i-1])/float64(w.end[i]-w.end[i-1]),
		)
		j, _ := slices.BinarySearch(w.cpu, place+half)
		if j < i+2 || j+1 >= len(w.end) {
			continue // the batches are too long to separate the two
		}
		more = append(more, float64(w.cpu[i+1]-w.cpu[i-1]-(w.cpu[j+1]-w.cpu[j-1])))
	}
	return more
}

// trimmed is the mean without the tenth at either end.
func trimmed(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	s = s[len(s)/10 : len(s)-len(s)/10]
	sum := 0.0
	for _, x := range s {
		sum += x
	}
	return sum / float64(len(s))
}

// bootstrap is the 95 % interval of the trimmed mean.
func bootstrap(v []float64) (lo, hi float64) {
	rng := rand.New(rand.NewPCG(1, 2))
	means, again := make([]float64, 1000), make([]float64, len(v))
	for i := range means {
		for j := range again {
			again[j] = v[rng.IntN(len(v))]
		}
		means[i] = trimmed(again)
	}
	slices.Sort(means)
	return means[len(means)/40], means[len(means)-1-len(means)/40]
}
