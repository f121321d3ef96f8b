package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// A report has ebb's own word of what it costs a program. Here are the kernel's accounts beside it:
// of the BPF programs' run time, of the program's CPU time and of interrupts. That of BPF programs
// is of the whole machine and adds some 20 ns to each run. It is asked for by a descriptor, and
// with that it ends, whatever ends this process; no governed run of a user has it.

// witnessed is a part of a report: what ebb says.
type witnessed struct {
	DisplacedNS int64   `json:"displaced_ns"`
	TracedNS    int64   `json:"traced_ns"`
	Said        float64 `json:"slowdown_own"`
	Threads     []struct {
		RunNS    int64  `json:"run_ns"`
		Switches uint64 `json:"switches"`
	} `json:"threads"`
}

// cpu is the program's CPU time, by the scheduler.
func (w *witnessed) cpu() (ns float64) {
	for _, t := range w.Threads {
		ns += float64(t.RunNS)
	}
	return ns
}

// programsOf are the BPF programs that a process holds, by name, once it has those that trace and,
// where it samples, the one that samples.
func programsOf(b *testing.B, pid int, want []string) map[string]*ebpf.Program {
	b.Helper()
	for end := time.Now().Add(devtest.Hung); time.Now().Before(end); time.Sleep(time.Millisecond) {
		held := map[string]*ebpf.Program{}
		files, err := filepath.Glob(fmt.Sprintf("/proc/%d/fdinfo/*", pid))
		if err != nil {
			b.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			_, rest, isProgram := strings.Cut(string(text), "\nprog_id:")
			if err != nil || !isProgram {
				continue // it is closed, or of something else
			}
			word, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
			id, err := strconv.ParseUint(word, 10, 32)
			if err != nil {
				b.Fatal(err)
			}
			p, err := ebpf.NewProgramFromID(ebpf.ProgramID(id))
			if err != nil {
				continue // it was loaded to find something out
			}
			info, err := p.Info()
			if err != nil {
				b.Fatal(err)
			}
			if old := held[info.Name]; old != nil {
				_ = p.Close()
				continue
			}
			held[info.Name] = p
		}
		if !slices.ContainsFunc(want, func(name string) bool { return held[name] == nil }) {
			return held
		}
		for _, p := range held {
			_ = p.Close()
		}
	}
	b.Fatalf("process %d has not loaded %v", pid, want)
	return nil
}

// interrupts is the number of interrupts of the machine's CPUs by timers and by each other.
func interrupts(b *testing.B) (n float64) {
	b.Helper()
	text, err := os.ReadFile("/proc/interrupts")
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		if !slices.Contains([]string{"LOC", "RES", "CAL", "IWI"}, name) {
			continue
		}
		for _, word := range strings.Fields(rest) {
			v, err := strconv.ParseFloat(word, 64)
			if err != nil {
				break // what it is
			}
			n += v
		}
	}
	return n
}

// witness runs a program in turn without ebb and with it.
func witness(b *testing.B, flags []string, argv []string) {
	b.Helper()
	needRoot(b)
	stats, err := ebpf.EnableStats(unix.BPF_STATS_RUN_TIME)
	if err != nil {
		b.Skip(err)
	}
	defer stats.Close()
	all := map[string][]float64{}
	add := func(name string, v float64) { all[name] = append(all[name], v) }
	want := []string{"on_switch", "on_waking"}
	if slices.Contains(flags, "--methods") {
		want = append(want, "on_clock")
	}
	for b.Loop() {
		for range runs {
			alone := exec.Command(argv[0], argv[1:]...)
			began, before := time.Now(), interrupts(b)
			if err := alone.Run(); err != nil {
				b.Fatal(err)
			}
			usual := (interrupts(b) - before) / time.Since(began).Seconds()
			cpu := alone.ProcessState.UserTime() + alone.ProcessState.SystemTime()

			path := filepath.Join(b.TempDir(), "r.json")
			args := slices.Concat([]string{"run", "--quiet", "--report", path}, flags,
				[]string{"--"}, argv)
			ebb := exec.Command(ebbPath(b), args...)
			if err := ebb.Start(); err != nil {
				b.Fatal(err)
			}
			held := programsOf(b, ebb.Process.Pid, want)
			began, before = time.Now(), interrupts(b)
			if err := ebb.Wait(); err != nil {
				b.Fatal(err)
			}
			add("irqs/s-more", (interrupts(b)-before)/time.Since(began).Seconds()-usual)
			text, err := os.ReadFile(path)
			if err != nil {
				b.Fatal(err)
			}
			var said witnessed
			if err := json.Unmarshal(text, &said); err != nil {
				b.Fatal(err)
			}
			ran := 0.0
			for name, p := range held {
				s, err := p.Stats()
				if err != nil {
					b.Fatal(err)
				}
				ns := float64(s.Runtime)
				ran += ns
				if slices.Contains(want, name) {
					add("ns/"+name, ns/float64(max(s.RunCount, 1)))
				}
				_ = p.Close()
			}
			add("bpf-%", 100*ran/said.cpu())
			add("said-traced-%", 100*float64(said.TracedNS)/said.cpu())
			add("said-displaced-%", 100*float64(said.DisplacedNS)/said.cpu())
			add("said-%", 100*said.Said)
			add("cpu-ratio", said.cpu()/float64(cpu))
		}
	}
	b.ReportMetric(0, "ns/op")
	for name, v := range all {
		b.Logf("%-16s %.4g", name, v)
		b.ReportMetric(median(v), name)
	}
}

// BenchmarkWitness: the CPU time of what is compared is the program's own for the same work.
func BenchmarkWitness(b *testing.B) {
	c, java := []string{"split", "3"}, []string{"java-split", "3"}
	for _, of := range []struct {
		name  string
		flags []string
		argv  []string
	}{
		{"c", nil, c}, {"c-methods", []string{"--methods"}, c}, {"java", nil, java},
		{"java-methods", []string{"--methods"}, java},
		{"pingpong", nil, []string{"pingpong", "200000"}},
	} {
		b.Run(of.name, func(b *testing.B) {
			witness(b, of.flags, workload(b, of.argv[0], of.argv[1:]...))
		})
	}
}
