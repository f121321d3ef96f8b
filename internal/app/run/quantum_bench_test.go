package run

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/app/run/part"
)

// parts is a machine that adds up ebb's CPU time: all threads of the process, which does nothing
// else. With split it does so by what ebb does, which itself takes longer than a quantum.
type parts struct {
	governor.Machine
	split                      bool
	first, last                time.Duration
	next, core, apply, observe time.Duration
	quanta                     int // in which the program ran
	skip                       int // of them at the start that are not counted
}

func processTime() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &ts); err != nil {
		panic(err)
	}
	return time.Duration(ts.Nano())
}

func (p *parts) pass(to *time.Duration) {
	if !p.split {
		return
	}
	now := processTime()
	if p.skip <= 0 {
		*to += now - p.last
	}
	p.last = now
}

func (p *parts) Next(ctx context.Context, buf []governor.Event) (int, error) {
	p.pass(&p.observe)
	n, err := p.Machine.Next(ctx, buf)
	p.pass(&p.next)
	return n, err
}

func (p *parts) Apply(a governor.Action) error {
	p.pass(&p.core)
	err := p.Machine.Apply(a)
	p.pass(&p.apply)
	if a.Kind == governor.Decided && a.Quantum.Busy > 0 {
		switch p.skip--; {
		case p.skip == 0:
			p.first = processTime()
		case p.skip < 0:
			p.quanta++
		}
	}
	return err
}

// BenchmarkQuantumCost says what a profiled quantum costs ebb in CPU time, and by what shares:
// waiting and reading (the wake, the records, going to sleep), the core, the actions, and the
// report with the loop around all. The shares come from a run of their own, because measuring them
// takes time. Beside it stands a C program that only wakes as often. Run it with -benchtime 1x.
func BenchmarkQuantumCost(b *testing.B) {
	if os.Geteuid() != 0 {
		b.Skip("needs root")
	}
	wake, spin := build(b, "testdata/wake.c"), build(b, "../../../test/workloads/c/spin.c")
	for b.Loop() {
		whole := measureQuanta(b, false, spin, "1500")
		p := measureQuanta(b, true, spin, "1500")
		out, err := exec.Command(wake, "600", "5").Output()
		if err != nil {
			b.Fatal(err)
		}
		c, err := strconv.Atoi(strings.TrimSpace(string(out)))
		if err != nil {
			b.Fatal(err)
		}
		each := float64(whole.last-whole.first) / float64(whole.quanta)
		all := float64(p.next + p.core + p.apply + p.observe)
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(each/1e3, "us/quantum")
		b.ReportMetric(float64(c)/1e3, "us/C-wake")
		b.ReportMetric(100*float64(p.next)/all, "%-wait+read")
		b.ReportMetric(100*float64(p.core)/all, "%-core")
		b.ReportMetric(100*float64(p.apply)/all, "%-apply")
		b.ReportMetric(100*float64(p.observe)/all, "%-report")
	}
}

// measureQuanta runs a command in shadow mode.
func measureQuanta(b *testing.B, split bool, argv ...string) *parts {
	b.Helper()
	defaults := NewSettings()
	s := &defaults
	s.Roots = part.Roots{Sysfs: "/sys", Proc: "/proc", RunDir: b.TempDir()}
	s.Quiet = true
	s.Shadow, s.Rest = true, 1 // with rests, a quantum is a longer one
	if err := s.Complete(argv); err != nil {
		b.Fatal(err)
	}
	r, err := open(b.Context(), s, argv, io.Discard)
	if err != nil {
		b.Skip(err)
	}
	defer func() {
		if err := r.close(); err != nil {
			b.Error(err)
		}
	}()
	p := &parts{Machine: r.Machine, split: split, skip: 20}
	r.Machine = p
	if err := r.start(b.Context(), argv); err != nil {
		b.Fatal(err)
	}
	r.end.hurried, r.end.reached = make(chan struct{}), func() {}
	if err := r.govern(b.Context()); err != nil {
		b.Fatal(err)
	}
	if !split {
		p.last = processTime()
	}
	if p.quanta < 100 {
		b.Fatalf("%d quanta", p.quanta)
	}
	return p
}

// build compiles a C program.
func build(b *testing.B, source string) string {
	b.Helper()
	out := filepath.Join(b.TempDir(), filepath.Base(source)+".out")
	if msg, err := exec.Command("gcc", "-O2", "-pthread", "-o", out,
		source).CombinedOutput(); err != nil {
		b.Skipf("%v: %s", err, msg)
	}
	return out
}
