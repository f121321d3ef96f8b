package jvm

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs/usdt"
)

var (
	each    = flag.Duration("each", 2*time.Second, "length of a stretch of BenchmarkEvents")
	triples = flag.Int("triples", 34, "number of triples of BenchmarkEvents")
)

// BenchmarkEvents reports what counting VESTA's 24 events costs four Java programs: counting is on
// and off in turn within a run. cost-% is the median of the triples, upper-% the upper end of its
// 95 % interval. Each program runs some seven minutes:
//
//	go test ./internal/power/activity/jvm -run '^$' -bench Events -benchtime 1x -timeout 1h
func BenchmarkEvents(b *testing.B) {
	if os.Geteuid() != 0 {
		b.Skip("needs root")
	}
	commands := javaPrograms(b)
	for _, name := range []string{"xalan", "lucene", "h2", "batik"} {
		b.Run(name, func(b *testing.B) {
			argv := commands[name]
			if argv == nil {
				b.Skip("its jars are not installed")
			}
			for range b.N {
				r := costOf(b, argv)
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(100*r.CPU.Median, "cost-%")
				b.ReportMetric(100*r.CPU.Low, "lower-%")
				b.ReportMetric(100*r.CPU.High, "upper-%")
				b.ReportMetric(float64(len(r.CPU.Triples)), "triples")
			}
		})
	}
}

// javaPrograms builds the bundled workloads.
func javaPrograms(b *testing.B) map[string][]string {
	b.Helper()
	script := exec.Command("../../../../../tools/workloads.sh", b.TempDir())
	script.Stderr = os.Stderr
	out, err := script.Output()
	if err != nil {
		b.Skip("build the workloads: ", err)
	}
	commands := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		name, command, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if argv := strings.Fields(command); argv[0] == "java" {
			commands[name] = argv
		}
	}
	return commands
}

// counting is VESTA's events, on and off.
type counting struct {
	programs *programs
	file     *os.File
	places   []usdt.Event
	pid      int
}

func (c *counting) On() error  { return c.programs.Attach(c.file, c.places, c.pid) }
func (c *counting) Off() error { return c.programs.detach() }

// openedBench waits until a program counts its operations.
func openedBench(b *testing.B, path string, errs *bytes.Buffer) *os.File {
	b.Helper()
	for range 600 {
		if f, err := os.Open(path); err == nil {
			return f
		}
		time.Sleep(500 * time.Millisecond)
	}
	b.Fatalf("the program did not begin within 5 minutes\n%s", errs.String())
	return nil
}

// warmUp is the time before the first stretch: start and compilation are no steady state.
const warmUp = 10 * time.Second

func costOf(b *testing.B, argv []string) Result {
	b.Helper()
	c := &counting{}
	launcher, err := exec.LookPath(argv[0])
	if err == nil {
		launcher, err = filepath.EvalSymlinks(launcher)
	}
	if err != nil {
		b.Skip(err)
	}
	library := filepath.Join(filepath.Dir(filepath.Dir(launcher)), "lib/server", usdt.JVMLibrary)
	if c.file, err = os.Open(library); err != nil {
		b.Skip(err)
	}
	defer c.file.Close()
	info, err := c.file.Stat()
	if err == nil {
		c.places, err = usdt.FindEvents(c.file, info.Size())
	}
	if err == nil {
		c.programs, err = open(nil, VESTA)
	}
	if err != nil {
		b.Fatal(err)
	}
	defer c.programs.Close()
	progress := filepath.Join(b.TempDir(), "progress")
	argv = slices.Insert(slices.Clone(argv), 1, "-Debb.progress="+progress)
	cmd := exec.Command(argv[0], append(argv[1:], "4", "86400")...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := c.programs.Launch(cmd.Start); err != nil {
		b.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	f := openedBench(b, progress, &errs)
	time.Sleep(warmUp)
	defer f.Close()
	c.pid = cmd.Process.Pid
	r, err := MeasureSwitching(b.Context(), Program{PID: c.pid, Progress: f}, c, *each, *triples)
	if err != nil {
		b.Fatal(err)
	}
	return r
}
