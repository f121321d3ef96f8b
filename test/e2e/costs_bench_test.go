package e2e

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

// The rows of costs: what ebb costs servers, programs that switch much, programs that compute, and
// starts. tools/costs.sh runs them and writes docs/figures/costs.txt. ebb's own word has the
// kernel's beside it: of BPF programs' run time, of the scheduler and of interrupts.

// tally has each measured value of each round.
type tally struct {
	names  []string // in the order in which they came
	rounds map[string][]float64
}

func (t *tally) add(name string, v float64) {
	if t.rounds == nil {
		t.rounds = map[string][]float64{}
	}
	if _, known := t.rounds[name]; !known {
		t.names = append(t.names, name)
	}
	t.rounds[name] = append(t.rounds[name], v)
}

// report has the median of each name as the benchmark's metric, and all rounds in its log. A ratio
// of at least leastSigned rounds also has an interval of the median, in which it is in 19 of 20
// cases whatever the ratios' distribution.
func (t *tally) report(b *testing.B) {
	b.Helper()
	b.ReportMetric(0, "ns/op")
	for _, name := range t.names {
		v := slices.Clone(t.rounds[name])
		line := fmt.Sprintf("%-20s %.4g of %.4g", name, median(slices.Clone(v)), v)
		b.ReportMetric(median(slices.Clone(v)), name)
		if strings.HasSuffix(name, "-ratio") && len(v) >= leastSigned {
			lo, hi := signed(v)
			b.ReportMetric(lo, name+"-low")
			b.ReportMetric(hi, name+"-high")
			line += fmt.Sprintf(", its median within %.4g to %.4g", lo, hi)
		}
		b.Log(line)
	}
}

const leastSigned = 6

// signed is the interval of v's median by the signs: no more than one in 40 medians is below its
// lower end, and no more above its upper one.
func signed(v []float64) (lo, hi float64) {
	slices.Sort(v)
	k, below := 0, 0.0
	for chance := math.Pow(0.5, float64(len(v))); below+chance <= 0.025; k++ {
		below += chance
		chance *= float64(len(v)-k) / float64(k+1)
	}
	k = max(k, 1)
	return v[k-1], v[len(v)-k]
}

// accounted asks the kernel for its account of BPF programs' run time, which ends with the returned
// function, or with this process.
func accounted(b *testing.B) func() {
	b.Helper()
	stats, err := ebpf.EnableStats(unix.BPF_STATS_RUN_TIME)
	if err != nil {
		b.Skip(err)
	}
	return func() { _ = stats.Close() }
}

// tracing are the BPF programs that an ebb with these flags must have loaded before it is measured.
func tracing(flags []string) []string {
	want := []string{"on_switch", "on_waking"}
	if slices.Contains(flags, "--methods") {
		want = append(want, "on_clock")
	}
	return want
}

// kernels is the kernel's account of BPF programs: of each its run time in ns and its runs.
type kernels map[string]struct{ ns, runs float64 }

func accountOf(b *testing.B, held map[string]*ebpf.Program) kernels {
	b.Helper()
	k := kernels{}
	for name, p := range held {
		s, err := p.Stats()
		if err != nil {
			b.Fatal(err)
		}
		k[name] = struct{ ns, runs float64 }{float64(s.Runtime), float64(s.RunCount)}
	}
	return k
}

// since adds to t what the programs took since an earlier account, as shares of ran, the program's
// CPU time in ns.
func (k kernels) since(before kernels, ran float64, want []string, t *tally) {
	all := 0.0
	for name, now := range k {
		ns, runs := now.ns-before[name].ns, now.runs-before[name].runs
		all += ns
		if slices.Contains(want, name) && runs > 0 {
			t.add("ns/"+name, ns/runs)
		}
	}
	t.add("bpf-%", 100*all/ran)
}

func release(held map[string]*ebpf.Program) {
	for _, p := range held {
		_ = p.Close()
	}
}

// endsWith has a program end with the benchmark, also where that fails.
func endsWith(b *testing.B, cmd *exec.Cmd) {
	b.Cleanup(func() {
		if cmd.ProcessState == nil {
			_ = cmd.Process.Signal(unix.SIGTERM)
			_ = cmd.Wait() // as it was ended
		}
	})
}

// others starts n programs that take what CPU time is left, and returns what ends them.
func others(b *testing.B, n int) func() {
	b.Helper()
	var all []*exec.Cmd
	for range n {
		cmd := exec.Command(spin[0], spin[1:]...)
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		endsWith(b, cmd)
		all = append(all, cmd)
	}
	return func() {
		for _, cmd := range all {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	}
}

// rounds is COSTS_ROUNDS, the number of rounds that tools/costs.sh asks for, or the row's own.
func rounds(b *testing.B, own int) int {
	b.Helper()
	n := 0
	if s := os.Getenv("COSTS_ROUNDS"); s != "" {
		if _, err := fmt.Sscan(s, &n); err != nil || n < 1 {
			b.Fatalf("COSTS_ROUNDS=%q: a number of rounds is needed", s)
		}
		return n
	}
	return own
}

// governedOnce runs a program under ebb to its end and adds what both witnesses say to t.
func governedOnce(b *testing.B, t *tally, flags, argv []string) {
	b.Helper()
	end := accounted(b)
	defer end()
	path := filepath.Join(b.TempDir(), "r.json")
	args := slices.Concat([]string{"run", "--quiet", "--report", path}, flags, []string{"--"}, argv)
	ebb := exec.Command(ebbPath(b), args...)
	ebb.Stderr = os.Stderr
	if err := ebb.Start(); err != nil {
		b.Fatal(err)
	}
	endsWith(b, ebb)
	want := tracing(flags)
	held := programsOf(b, ebb.Process.Pid, want)
	defer release(held)
	began, irqs := time.Now(), interrupts(b)
	if err := ebb.Wait(); err != nil {
		b.Fatal(err)
	}
	t.add("irqs/s", (interrupts(b)-irqs)/time.Since(began).Seconds())
	said := readWitnessed(b, path)
	ran := said.cpu()
	t.add("own-cpu-%", 100*float64(said.OwnCPUNS)/float64(said.WallNS))
	t.add("steady-cpu-%", 100*float64(said.OwnCPUNS-said.OwnStartCPUNS)/float64(said.WallNS))
	said.add(t)
	accountOf(b, held).since(kernels{}, ran, want, t)
}

// add adds ebb's own word to t.
func (w *witnessed) add(t *tally) {
	t.add("said-%", 100*w.Said)
	t.add("said-cost-%", 100*float64(w.TracedNS+w.DisplacedNS)/w.cpu())
	t.add("said-traced-%", 100*float64(w.TracedNS)/w.cpu())
	t.add("said-displaced-%", 100*float64(w.DisplacedNS)/w.cpu())
}
