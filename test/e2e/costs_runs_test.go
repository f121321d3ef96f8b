package e2e

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkCosts has a row for each question of docs/cost.md's table.
func BenchmarkCosts(b *testing.B) {
	methods := "--methods"
	for _, row := range []struct {
		name string
		run  func(b *testing.B)
	}{
		{"nginx", func(b *testing.B) { paired(b, loadedNginx(1)) }},
		{"nginx-methods", func(b *testing.B) { paired(b, loadedNginx(1), methods) }},
		{"nginx-saturated", func(b *testing.B) { paired(b, loadedNginx(64)) }},
		{"nginx-saturated-methods", func(b *testing.B) { paired(b, loadedNginx(64), methods) }},
		{"postgres", func(b *testing.B) { paired(b, loadedPostgres) }},
		{"redis", func(b *testing.B) { paired(b, loadedRedis) }},
		{"tomcat", func(b *testing.B) { paired(b, loadedTomcat) }},
		{"pingpong", observed},
		{"two-pingpongs", twoPingPongs},
		{"c-10s", func(b *testing.B) { computes(b, 10, 0, "split", "10") }},
		{"java-10s", func(b *testing.B) { computes(b, 10, 0, "java-split", "10") }},
		{"c-10s-load2", func(b *testing.B) { computes(b, 10, 2, "split", "10") }},
		{"java-10s-load2", func(b *testing.B) { computes(b, 10, 2, "java-split", "10") }},
		{"c-60s", func(b *testing.B) { computes(b, 1, 0, "split", "60") }},
		{"java-60s", func(b *testing.B) { computes(b, 1, 0, "java-split", "60") }},
		{"c-60s-load2", func(b *testing.B) { computes(b, 1, 2, "split", "60") }},
		{"java-60s-load2", func(b *testing.B) { computes(b, 1, 2, "java-split", "60") }},
		{"java-methods-40s", func(b *testing.B) { javaMethods(b, 2, "40") }},
		{"java-methods-short", func(b *testing.B) { javaMethods(b, 7, "1.5") }},
		{"start", func(b *testing.B) { starts(b) }},
		{"start-methods", func(b *testing.B) { starts(b, methods) }},
	} {
		b.Run(row.name, func(b *testing.B) {
			needRoot(b)
			row.run(b)
		})
	}
}

// computes runs a program that computes, beside as many that take what it leaves.
func computes(b *testing.B, own, beside int, name string, args ...string) {
	b.Helper()
	argv := workload(b, name, args...)
	var t tally
	for b.Loop() {
		end := others(b, beside)
		for range rounds(b, own) {
			governedOnce(b, &t, nil, argv)
		}
		end()
	}
	t.report(b)
}

// javaMethods runs a Java program with --methods.
func javaMethods(b *testing.B, own int, seconds string) {
	b.Helper()
	argv := workload(b, "java-split", seconds)
	var t tally
	for b.Loop() {
		for range rounds(b, own) {
			governedOnce(b, &t, []string{"--methods"}, argv)
		}
	}
	t.report(b)
}

// starts is the CPU time that ebb takes for a program that does nothing, by the kernel's account of
// its processes, in which the program has less than 1 ms.
func starts(b *testing.B, flags ...string) {
	b.Helper()
	var t tally
	for b.Loop() {
		for range rounds(b, 11) {
			path := filepath.Join(b.TempDir(), "r.json")
			args := slices.Concat([]string{"run", "--quiet", "--report", path}, flags)
			cmd := exec.Command(ebbPath(b), append(args, "--", "true")...)
			if out, err := cmd.CombinedOutput(); err != nil {
				b.Fatalf("%v\n%s", err, out)
			}
			used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
			t.add("cpu-ms", 1000*used.Seconds())
			said := readWitnessed(b, path)
			t.add("said-start-ms", float64(said.OwnStartCPUNS)/1e6)
		}
	}
	t.report(b)
}

// exchange is the CPU time per round trip of a ping-pong on the first CPU, in ns.
func exchange(b *testing.B, trips int) float64 {
	b.Helper()
	cmd := exec.Command("taskset", append([]string{"-c", "0"},
		workload(b, "pingpong", fmt.Sprint(trips))...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return float64(cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()) / float64(trips)
}

// watchers are what a ping-pong on one CPU runs under: what starts before it and, once it prints a
// word, has it begin.
var watchers = []watcher{
	{name: "perf", file: "perf.data", argv: []string{"perf", "record", "-q", "-a", "-e",
		"sched:sched_switch", "-o", "perf.data"}},
	{name: "bpftrace", word: "ready", argv: []string{"bpftrace", "-q", "-B", "line", "-e",
		bpftraceJob}},
}

// watcher is a tool that watches switches.
type watcher struct {
	name string
	argv []string
	word string // what it prints when it has begun; "": it says nothing
	file string // what it writes: some MB of that many switches
}

// bpftraceJob does less than ebb: it counts who follows whom and who wakes whom.
const bpftraceJob = `BEGIN { printf("ready\n") }
tracepoint:sched:sched_switch { @on[args->prev_pid, args->next_pid] = count() }
tracepoint:sched:sched_waking { @by[tid, args->pid] = count() }
END { clear(@on); clear(@by) }`

// observed has a ping-pong on one CPU run alone, governed, beside an ebb that governs another
// program, and under other tools, in turn.
func observed(b *testing.B) {
	b.Helper()
	const trips = 150_000
	var t tally
	for b.Loop() {
		for range rounds(b, 7) {
			alone := exchange(b, trips)
			t.add("ns/trip", alone)
			t.add("governed-ratio", governedExchange(b, &t, trips, false)/alone)
			ebb := exec.Command(ebbPath(b), "run", "--quiet", "--", "sleep", "1000")
			if err := ebb.Start(); err != nil {
				b.Fatal(err)
			}
			endsWith(b, ebb)
			release(programsOf(b, ebb.Process.Pid, tracing(nil)))
			t.add("bystander-ratio", exchange(b, trips)/alone)
			_ = ebb.Process.Signal(os.Interrupt)
			_ = ebb.Wait() // as the program's, which was interrupted
			for _, w := range watchers {
				if v := w.beside(b, trips); v > 0 {
					t.add(w.name+"-ratio", v/alone)
				}
			}
		}
		end := accounted(b)
		for range 3 {
			governedExchange(b, &t, trips, true)
		}
		end()
	}
	t.report(b)
}

// governedExchange is exchange under ebb; accounted, it also adds the kernel's word to t.
func governedExchange(b *testing.B, t *tally, trips int, accounted bool) float64 {
	b.Helper()
	path := filepath.Join(b.TempDir(), "r.json")
	ebb := exec.Command(ebbPath(b), slices.Concat([]string{"run", "--quiet", "--report", path, "--",
		"taskset", "-c", "0"}, workload(b, "pingpong", fmt.Sprint(trips)))...)
	if err := ebb.Start(); err != nil {
		b.Fatal(err)
	}
	endsWith(b, ebb)
	want := tracing(nil)
	held := programsOf(b, ebb.Process.Pid, want)
	defer release(held)
	if err := ebb.Wait(); err != nil {
		b.Fatal(err)
	}
	said := readWitnessed(b, path)
	if accounted {
		accountOf(b, held).since(kernels{}, said.cpu(), want, t)
	} else {
		said.add(t)
		t.add("own-cpu-%", 100*float64(said.OwnCPUNS)/float64(said.WallNS))
		t.add("lost-records", float64(said.LostRecords))
	}
	return said.cpu() / float64(trips)
}

// beside is exchange while the tool traces the machine, or 0 where that is not installed or does
// not trace.
func (w *watcher) beside(b *testing.B, trips int) float64 {
	b.Helper()
	if _, err := exec.LookPath(w.argv[0]); err != nil {
		return 0
	}
	tool := exec.Command(w.argv[0], w.argv[1:]...)
	tool.Dir = b.TempDir()
	out, err := tool.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := tool.Start(); err != nil {
		b.Fatal(err)
	}
	endsWith(b, tool)
	lines, begun := bufio.NewScanner(out), w.word == ""
	for !begun && lines.Scan() {
		begun = lines.Text() == w.word
	}
	if w.word == "" {
		time.Sleep(time.Second)
	}
	go func() {
		for lines.Scan() { // it must not wait for room
		}
	}()
	v := exchange(b, trips)
	_ = tool.Process.Signal(os.Interrupt)
	_ = tool.Wait() // interrupted
	if w.file != "" {
		info, err := os.Stat(filepath.Join(tool.Dir, w.file))
		begun = err == nil && info.Size() > 1<<20
	}
	if !begun {
		b.Logf("%s did not trace", w.name)
		return 0
	}
	return v
}

// twoPingPongs has a ping-pong on each of two CPUs switch as fast as it can, and measures when
// ebb's start is over.
func twoPingPongs(b *testing.B) {
	b.Helper()
	pair := strings.Join(workload(b, "pingpong", "100000000"), " ")
	var t tally
	for b.Loop() {
		for range rounds(b, steadyRuns) {
			path := filepath.Join(b.TempDir(), "r.json")
			ebb := exec.Command(ebbPath(b), "run", "--quiet", "--report", path, "--", "sh", "-c",
				fmt.Sprintf("trap 'kill $(jobs -p)' INT TERM; "+
					"taskset -c 0 %[1]s & taskset -c 1 %[1]s & wait", pair))
			if err := ebb.Start(); err != nil {
				b.Fatal(err)
			}
			endsWith(b, ebb)
			want := tracing(nil)
			held := programsOf(b, ebb.Process.Pid, want)
			time.Sleep(startOver)
			began, own := time.Now(), useOf(b, ebb.Process.Pid)
			time.Sleep(stretch / 2)
			took := time.Since(began).Seconds()
			t.add("own-cpu-%", 100*(useOf(b, ebb.Process.Pid).cpu-own.cpu).Seconds()/took)
			end := accounted(b)
			before, began := accountOf(b, held), time.Now()
			time.Sleep(stretch / 6)
			// both CPUs are the program's
			accountOf(b, held).since(before, 2*float64(time.Since(began)), want, &t)
			end()
			release(held)
			if err := ebb.Process.Signal(os.Interrupt); err != nil {
				b.Fatal(err)
			}
			_ = ebb.Wait() // as the program's, which was interrupted
			said := readWitnessed(b, path)
			said.add(&t)
			switches := 0.0
			for _, of := range said.Threads {
				switches += float64(of.Switches)
			}
			t.add("switches/s", switches/(float64(said.WallNS)/1e9))
			t.add("lost-records", float64(said.LostRecords))
		}
	}
	t.report(b)
}
