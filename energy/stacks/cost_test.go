package stacks

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/epochs/bpf"
)

// costSeconds is how long the program of BenchmarkCostSampling runs, costWindow how long the sampler is on, and off, in turn.
const (
	costSeconds = 60
	costWindow  = 150 * time.Millisecond
)

// BenchmarkCostSampling tells what the sampler costs a Java program in CPU time. One JVM does the same work over and over
// while the sampler is switched on and off, so that neither another JVM's other compiled code nor what else the machine
// does is taken for the sampler's: what is compared are neighbouring windows. It reports the median over all pairs of
// windows and its 95 % interval, by bootstrap. Use -benchtime=1x.
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
	if out, err := exec.Command("javac", "-d", classes, "../../workloads/java/Batches.java").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	for _, rate := range []int{DefaultRate, 20 * DefaultRate} {
		b.Run(fmt.Sprintf("%dHz", rate), func(b *testing.B) {
			tracer, err := bpf.Open(bpf.Config{Quantum: 5 * time.Millisecond})
			if err != nil {
				b.Skip(err)
			}
			defer tracer.Close()
			sampler, err := Open(tracer.Followed(), rate)
			if err != nil {
				b.Fatal(err)
			}
			defer sampler.Close()
			cmd := exec.Command("java", "-XX:+PreserveFramePointer", "-cp", classes, "Batches", "2", fmt.Sprint(costSeconds))
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, os.Stderr
			err = tracer.Launch(func() (int, error) {
				if err := sampler.Launching(); err != nil {
					return 0, err
				}
				return 0, cmd.Start()
			})
			if err != nil {
				b.Fatal(err)
			}
			var ended atomic.Bool
			go func() {
				_ = cmd.Wait() // its output tells
				ended.Store(true)
				tracer.Wake()
			}()
			windows := alternate(b, tracer, sampler, &ended)
			report(b, windows, out.String())
		})
	}
}

// window is a time, in ns of CLOCK_MONOTONIC, in which the sampler was on or off, and what the program did in it.
type window struct {
	from, to int64
	on       bool
	batches  int
	cpu      int64
}

// alternate drains tracer and sampler as a governor does and switches the sampler on and off.
func alternate(b *testing.B, tracer *bpf.Tracer, sampler *Sampler, ended *atomic.Bool) (windows []window) {
	b.Helper()
	buf := make([]epochs.Event, 512)
	current := window{on: true}
	for !ended.Load() {
		n, err := tracer.Next(buf)
		if err != nil {
			b.Fatal(err)
		}
		if err := sampler.Drain(func(*Sample) {}); err != nil {
			b.Fatal(err)
		}
		at := int64(buf[n-1].At)
		if at-current.from < int64(costWindow) {
			continue
		}
		current.to = at
		windows = append(windows, current)
		how := uint(unix.PERF_EVENT_IOC_DISABLE)
		if !current.on {
			how = unix.PERF_EVENT_IOC_ENABLE
		}
		if err := unix.IoctlSetInt(sampler.events[0], how, 0); err != nil {
			b.Fatal(err)
		}
		current = window{from: at + int64(5*time.Millisecond), on: !current.on}
	}
	return windows
}

// report compares each window with the mean of its two neighbours.
func report(b *testing.B, windows []window, out string) {
	b.Helper()
	for lines := strings.NewReader(out); ; {
		var end, cpu int64
		if _, err := fmt.Fscanf(lines, "batch end=%d cpu=%d\n", &end, &cpu); err != nil {
			break
		}
		i, _ := slices.BinarySearchFunc(windows, end, func(w window, at int64) int { return int(min(max(w.to-at, -1), 1)) })
		// A batch may have begun in the window before; nearly none takes longer than a tenth of one.
		if i < len(windows) && end-windows[i].from > int64(costWindow/10) {
			windows[i].batches++
			windows[i].cpu += cpu
		}
	}
	per := func(w *window) float64 { return math.Log(float64(w.cpu) / float64(w.batches)) }
	var more []float64
	for i := 2; i+1 < len(windows); i++ { // the first is from the program's start
		a, w, z := &windows[i-1], &windows[i], &windows[i+1]
		if w.on && min(a.batches, w.batches, z.batches) > 0 {
			more = append(more, per(w)-(per(a)+per(z))/2)
		}
	}
	if len(more) < 20 {
		b.Fatalf("%d windows to compare; the program wrote %.300q", len(more), out)
	}
	lo, hi := bootstrap(more)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(100*math.Expm1(middle(more)), "%more")
	b.ReportMetric(100*math.Expm1(lo), "%low")
	b.ReportMetric(100*math.Expm1(hi), "%high")
	b.ReportMetric(float64(len(more)), "windows")
}

func middle(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// bootstrap is the 95 % interval of the median.
func bootstrap(v []float64) (lo, hi float64) {
	rng := rand.New(rand.NewPCG(1, 2))
	medians, again := make([]float64, 2000), make([]float64, len(v))
	for i := range medians {
		for j := range again {
			again[j] = v[rng.IntN(len(v))]
		}
		medians[i] = middle(again)
	}
	slices.Sort(medians)
	return medians[len(medians)/40], medians[len(medians)-1-len(medians)/40]
}
