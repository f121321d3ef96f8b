package instrumentation

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkCost is Chappie's table 1 on its four programs, or Debian's of their kind, and beside it
// what sampling by ebb costs: how often as long the same work takes, medians of interleaved runs.
// -benchtime 1x is one such comparison.
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
				compare(b, argv, jar, ebb)
			}
		})
	}
}

// rounds are the interleaved runs of each kind that take no longer than the program alone.
const rounds = 5

// compare runs a program alone, sampled, and with the agent.
func compare(b *testing.B, argv []string, jar, ebb string) {
	work := operations(b, argv)
	with := func(options ...string) []string {
		return slices.Concat(argv[:1], options, []string{"-Debb.operations=" + work}, argv[1:],
			[]string{"2"})
	}
	timed := func(argv []string) float64 {
		began := time.Now()
		do(b, argv...)
		return time.Since(began).Seconds()
	}
	var alone, sampled, all, some []float64
	for range rounds {
		alone = append(alone, timed(with()))
		if os.Geteuid() == 0 {
			sampled = append(sampled, timed(append([]string{ebb, "run", "--quiet", "--shadow",
				"--methods", "--user", "root", "--report", filepath.Join(b.TempDir(), "r.json"),
				"--"}, with()...)))
		}
	}
	calls := 0
	for range 2 {
		all = append(all, timed(with("-javaagent:"+jar+"=1")))
		began := time.Now()
		said := do(b, with("-javaagent:"+jar+"=0.05")...)
		some = append(some, time.Since(began).Seconds())
		_, _, calls, _ = counts(b, said)
	}
	one := median(alone)
	b.ReportMetric(0, "ns/op") // says nothing here
	b.ReportMetric(one, "alone-s")
	b.ReportMetric(float64(calls)/1e6, "million-calls")
	b.ReportMetric(median(all)/one, "all-calls-x")
	b.ReportMetric(median(some)/one, "5%-of-calls-x")
	if len(sampled) > 0 {
		b.ReportMetric(median(sampled)/one, "sampled-x")
	}
}

var done = regexp.MustCompile(`(?m)^ops=(\d+) `)

// operations is the number that the program does in about a second and a half.
func operations(b *testing.B, argv []string) string {
	out, err := exec.Command(argv[0], append(slices.Clone(argv[1:]), "2", "1.5")...).Output()
	if err != nil {
		b.Fatalf("%v: %v", argv, err)
	}
	m := done.FindSubmatch(out)
	if m == nil {
		b.Fatalf("%v does not say what it did: %s", argv, out)
	}
	return string(m[1])
}

// workloads are the commands of the bundled programs, by name.
func workloads(b *testing.B, dir string) map[string][]string {
	cmd := exec.Command("../../scripts/workloads.sh", dir)
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

func median(v []float64) float64 {
	slices.Sort(v)
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}
