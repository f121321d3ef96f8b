package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cilium/ebpf"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// A report has ebb's own word of what it costs a program. Here are the kernel's accounts beside it:
// of the BPF programs' run time, of the program's CPU time and of interrupts. That of BPF programs
// is of the whole machine and adds some 20 ns to each run. It is asked for by a descriptor, and
// with that it ends, whatever ends this process; no governed run of a user has it.

// witnessed is a part of a report: what ebb says.
type witnessed struct {
	WallNS        int64   `json:"wall_ns"`
	Epochs        int64   `json:"epochs"`
	LostRecords   uint64  `json:"lost_records"`
	OwnCPUNS      int64   `json:"own_cpu_ns"`
	OwnStartCPUNS int64   `json:"own_start_cpu_ns"`
	DisplacedNS   int64   `json:"displaced_ns"`
	TracedNS      int64   `json:"traced_ns"`
	Said          float64 `json:"slowdown_own"`
	Threads       []struct {
		RunNS    int64  `json:"run_ns"`
		Switches uint64 `json:"switches"`
	} `json:"threads"`
}

func readWitnessed(b *testing.B, path string) *witnessed {
	b.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	var w witnessed
	if err := json.Unmarshal(text, &w); err != nil {
		b.Fatal(err)
	}
	return &w
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
