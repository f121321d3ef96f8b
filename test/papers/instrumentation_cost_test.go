package main

import (
	"bufio"
	"bytes"
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// BenchmarkCost is Chappie's table 1 on its four programs, or Debian's of their kind, and beside it
// what sampling by ebb costs: how often as much CPU time and time the same work takes, medians of
// interleaved runs. Beside other work the CPU time says more. That of sampled runs includes ebb's
// own, and its start. -benchtime 1x is one such comparison.
func BenchmarkCost(b *testing.B) {
	jar, _ := agent(b)
	dir := b.TempDir()
	commands := workloads(b, filepath.Join(dir, "workloads"))
	ebb := filepath.Join(dir, "ebb")
	if os.Geteuid() == 0 {
		do(b, "go", "build", "-buildvcs=false", "-o", ebb, "../../cmd/ebb")
	}
	for _, name := range []string{"sunflow", "batik", "xalan", "h2"} {
		b.Run(name, func(b *testing.B) {
			argv := commands[name]
			if argv == nil {
				b.Skip("not built: see packages.txt")
			}
			for range b.N {
				// sunflow makes so many calls that reading at each of a second takes minutes.
				part := map[string]float64{"sunflow": 0.1}[name]
				compare(b, argv, jar, ebb, cmp.Or(part, 1))
			}
		})
	}
}

// rounds are the runs alone and the sampled ones, in turn.
const rounds = 3

// compare runs a program alone, sampled, and with the agent, for a part of a second of CPU time.
func compare(b *testing.B, argv []string, jar, ebb string, part float64) {
	work := operations(b, argv, part)
	with := func(options ...string) []string {
		return slices.Concat(argv[:1], options, []string{"-Debb.operations=" + work}, argv[1:],
			[]string{"2"})
	}
	var alone, sampled, all, some used
	calls := 0
	for i := range rounds {
		alone.run(b, with())
		if os.Geteuid() == 0 {
			sampled.run(b, append([]string{ebb, "run", "--quiet", "--shadow", "--methods", "--user",
				"root", "--report", filepath.Join(b.TempDir(), "r.json"), "--"}, with()...))
		}
		if i > 0 { // these take much longer
			continue
		}
		all.run(b, with("-javaagent:"+jar+"=1"))
		_, _, calls, _ = counts(b, some.run(b, with("-javaagent:"+jar+"=0.05")))
	}
	b.ReportMetric(0, "ns/op") // says nothing here
	b.ReportMetric(median(alone.wall), "alone-s")
	b.ReportMetric(median(alone.cpu), "alone-cpu-s")
	b.ReportMetric(float64(calls)/1e6, "million-calls")
	for name, u := range map[string]*used{"all-calls": &all, "5%-of-calls": &some,
		"sampled": &sampled} {
		if len(u.wall) > 0 {
			b.ReportMetric(median(u.wall)/median(alone.wall), name+"-x")
			b.ReportMetric(median(u.cpu)/median(alone.cpu), name+"-cpu-x")
		}
	}
}

// used is what runs of a kind took, in s.
type used struct{ wall, cpu []float64 }

// run adds a run, and returns what it said on standard error.
func (u *used) run(b *testing.B, argv []string) string {
	cmd := exec.Command(argv[0], argv[1:]...)
	var said bytes.Buffer
	cmd.Stderr = &said
	began := time.Now()
	if err := cmd.Run(); err != nil {
		b.Fatalf("%v: %v\n%s", argv, err, &said)
	}
	u.wall = append(u.wall, time.Since(began).Seconds())
	u.cpu = append(u.cpu, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds())
	return said.String()
}

var (
	done = regexp.MustCompile(`(?m)^ops=(\d+) `)
	ran  = regexp.MustCompile(`(?m)^thread role=worker .*run_ns=(\d+)$`)
)

// operations is the number that takes two threads a part of about half a second of CPU time each.
func operations(b *testing.B, argv []string, part float64) string {
	out, err := exec.Command(argv[0], append(slices.Clone(argv[1:]), "2", "1")...).Output()
	if err != nil {
		b.Fatalf("%v: %v", argv, err)
	}
	number := func(text []byte) float64 {
		v, err := strconv.ParseFloat(string(text), 64)
		if err != nil {
			b.Fatal(err)
		}
		return v
	}
	m, threads := done.FindSubmatch(out), ran.FindAllSubmatch(out, -1)
	if m == nil || threads == nil {
		b.Fatalf("%v does not say what it did: %s", argv, out)
	}
	used := 0.0
	for _, t := range threads {
		used += number(t[1])
	}
	return strconv.Itoa(int(1 + part*number(m[1])*1e9/used))
}

// workloads are the commands of the bundled programs, by name.
func workloads(b *testing.B, dir string) map[string][]string {
	cmd := exec.Command("../../tools/workloads.sh", dir)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		b.Fatalf("build the programs: %v\n%s", err, &said)
	}
	commands := map[string][]string{}
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		name, command, _ := strings.Cut(lines.Text(), "\t")
		commands[name] = strings.Fields(command)
	}
	return commands
}
