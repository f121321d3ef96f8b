package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// The steady state of ebb itself: how much CPU time it takes and how often its threads wake, when
// its start is over. The kernel's own account is read before and after a stretch of the run.

const (
	startOver = 3 * time.Second
	stretch   = 6 * time.Second
	// steadyRuns is the number of runs whose median is reported.
	steadyRuns = 3
)

// use is what a process's threads have used so far.
type use struct {
	cpu    time.Duration
	wakes  int64 // voluntary switches: each is followed by a wake-up
	forced int64 // other switches
}

// useOf adds up /proc/PID/task/*/schedstat and status, of ebb, its guardian and
// the deputy.
func useOf(b *testing.B, pid int) (u use) {
	b.Helper()
	u = useOfOne(b, pid)
	for _, sentry := range sentries(b, pid) {
		g := useOfOne(b, sentry)
		u.cpu, u.wakes, u.forced = u.cpu+g.cpu, u.wakes+g.wakes, u.forced+g.forced
	}
	return u
}

func useOfOne(b *testing.B, pid int) (u use) {
	b.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
	if err != nil || len(tasks) == 0 {
		b.Fatalf("ebb (process %d) has ended early: %v", pid, err)
	}
	for _, task := range tasks {
		stat, err := os.ReadFile(filepath.Join(task, "schedstat"))
		if err != nil {
			continue // it has just ended
		}
		ran, _, _ := strings.Cut(string(stat), " ")
		ns, err := strconv.ParseInt(ran, 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		u.cpu += time.Duration(ns)
		status, err := os.ReadFile(filepath.Join(task, "status"))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(status)) {
			name, value, _ := strings.Cut(line, ":")
			// of the two lines that are read it is a number
			n, _ := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
			switch name {
			case "voluntary_ctxt_switches":
				u.wakes += n
			case "nonvoluntary_ctxt_switches":
				u.forced += n
			}
		}
	}
	return u
}

// steady runs a program under ebb, which must take startOver and stretch, and reports what ebb used
// meanwhile.
func steady(b *testing.B, program []string, flags ...string) {
	b.Helper()
	needRoot(b)
	var percent, perQuantum, wakesPerQuantum, wakesPerSecond []float64
	for b.Loop() {
		for range steadyRuns {
			path := filepath.Join(b.TempDir(), "r.json")
			args := append(append([]string{"run", "--quiet", "--report", path}, flags...), "--")
			cmd := exec.Command(ebbPath(b), append(args, program...)...)
			cmd.Stderr = os.Stderr
			started := time.Now()
			if err := cmd.Start(); err != nil {
				b.Fatal(err)
			}
			time.Sleep(startOver)
			from, before := time.Since(started), useOf(b, cmd.Process.Pid)
			time.Sleep(stretch)
			upTo, after := time.Since(started), useOf(b, cmd.Process.Pid)
			// The rest of the program's time would be waited for in vain, on a busy machine for
			// long.
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				b.Fatal(err)
			}
			// as the program's, which was interrupted; that there is a report is what counts
			_ = cmd.Wait()
			quanta := 0.0
			for _, q := range readReport(b, path).Quanta {
				// a very long one is idle time, others are rests
				if at := time.Duration(q.StartNS); at >= from && at < upTo &&
					q.DurNS < int64(200*time.Millisecond) {
					quanta++
				}
			}
			cpu, wakes := float64(after.cpu-before.cpu), float64(after.wakes-before.wakes)
			percent = append(percent, 100*cpu/float64(upTo-from))
			wakesPerSecond = append(wakesPerSecond, wakes/(upTo-from).Seconds())
			if quanta > 0 {
				perQuantum, wakesPerQuantum = append(perQuantum,
					cpu/1000/quanta), append(wakesPerQuantum, wakes/quanta)
			}
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(percent), "own-cpu-%")
	b.ReportMetric(median(wakesPerSecond), "wakes/s")
	if len(perQuantum) > 0 {
		b.ReportMetric(median(perQuantum), "us/quantum")
		b.ReportMetric(median(wakesPerQuantum), "wakes/quantum")
	}
}

// BenchmarkSteady: java-setspeed acts on its decisions, java-methods looks at stacks. Where ebb
// rests it says so; the others have it decide on every quantum.
func BenchmarkSteady(b *testing.B) {
	seconds := fmt.Sprint((startOver + stretch).Seconds() + 1)
	tree := func(b *testing.B) []string {
		return []string{"--sysfs", devtest.Tree(b, devtest.Desktop), "--run-dir",
			filepath.Join(b.TempDir(), "run"), "--rest", "1"}
	}
	c := func(b *testing.B) []string { return workload(b, "split", seconds) }
	java := func(b *testing.B) []string { return workload(b, "java-contend", "4", seconds) }
	b.Run("idle", func(b *testing.B) { steady(b, []string{"sleep", seconds}) })
	b.Run("idle-setspeed", func(b *testing.B) { steady(b, []string{"sleep", seconds}, tree(b)...) })
	b.Run("c-setspeed", func(b *testing.B) { steady(b, c(b), tree(b)...) })
	b.Run("c", func(b *testing.B) { steady(b, c(b), "--rest", "1") })
	b.Run("c-rests", func(b *testing.B) { steady(b, c(b)) })
	b.Run("java", func(b *testing.B) { steady(b, java(b), "--rest", "1") })
	b.Run("java-rests", func(b *testing.B) { steady(b, java(b)) })
	b.Run("java-setspeed", func(b *testing.B) { steady(b, java(b), tree(b)...) })
	b.Run("java-methods", func(b *testing.B) { steady(b, java(b), "--methods", "--rest", "1") })
	b.Run("java-methods-rests", func(b *testing.B) { steady(b, java(b), "--methods") })
	b.Run("lucene", func(b *testing.B) {
		steady(b, workload(b, "lucene", "4", seconds), "--rest", "1")
	})
}
