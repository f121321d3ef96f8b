package e2e

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/energy/attribution"
	"github.com/ebb-energy/ebb/internal/tolerance"
)

// topRanks is the number of functions that are compared by rank.
const topRanks = 20

// looks counts a profiler's samples of a program by the innermost function, or by its file if it
// has no name.
type looks map[string]int

func (l looks) total() (n int) {
	for _, c := range l {
		n += c
	}
	return n
}

// top are the functions that were seen most.
func (l looks) top(n int) []string {
	names := make([]string, 0, len(l))
	for name := range l {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(l[b], l[a]), cmp.Compare(a, b))
	})
	return names[:min(n, len(names))]
}

// compared is what ebb and perf found in the same run.
type compared struct {
	ebb, perf looks
	// of ebb's samples: in a function with a name, in one known by its address
	named, placed float64
}

// besidePerf runs a Java program under ebb and perf, which both look at it about rate times per
// second of its CPU time.
func besidePerf(t testing.TB, argv []string, rate int) compared {
	t.Helper()
	needRoot(t)
	if _, err := exec.LookPath("perf"); err != nil {
		t.Skip("perf is not installed: see packages.txt")
	}
	dir := t.TempDir()
	data, path := filepath.Join(dir, "perf.data"), filepath.Join(dir, "r.json")
	// ebb removes the map of compiled code that it had written; perf reads it later.
	// perf knows no other way to its names, and no methods that were inlined.
	options := append(slices.Clone(attribution.JVMOptions), "-XX:-Inline")
	argv = slices.Insert(slices.Clone(argv), 1, options...)
	script := fmt.Sprintf("%s & p=$!; wait $p; echo $p > %s/pid; cp /tmp/perf-$p.map %s/map",
		strings.Join(argv, " "), dir, dir)
	cmd := exec.CommandContext(t.Context(), "perf", "record", "-q", "-o", data, "-e", "cpu-clock",
		"-c", strconv.Itoa(1_000_000_000/rate-1777), "--",
		ebbPath(t), "run", "--quiet", "--methods", "--rate", strconv.Itoa(rate), "--report", path,
		"--", "sh", "-c", script)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(dir, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	code, err := os.ReadFile(filepath.Join(dir, "map"))
	if err != nil {
		t.Fatal(err)
	}
	putBack := fmt.Sprintf("/tmp/perf-%d.map", pid)
	if err := os.WriteFile(putBack, code, 0o600); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(putBack)
	out, err := exec.CommandContext(t.Context(), "perf", "script", "-i", data, "--pid",
		strconv.Itoa(pid), "-F", "ip,sym,dso").Output()
	if err != nil {
		t.Fatalf("perf script: %v", err)
	}
	c := ebbLooks(t, path, pid)
	c.perf = perfLooks(out)
	if c.perf.total() < 500 || c.ebb.total() < 500 {
		t.Fatalf("%d samples of perf's, %d of ebb's", c.perf.total(), c.ebb.total())
	}
	return c
}

// ebbLooks reads a report.
func ebbLooks(t testing.TB, path string, pid int) (c compared) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Attribution struct {
			Threads []struct{ PID int }
			Frames  []struct{ Name, Module, Kind string }
			Stacks  []struct {
				Thread, Samples int
				Frames          []int
			}
		}
	}
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	c.ebb = looks{}
	a := &r.Attribution
	for _, s := range a.Stacks {
		if a.Threads[s.Thread].PID != pid || len(s.Frames) == 0 {
			continue
		}
		switch f := a.Frames[s.Frames[0]]; f.Kind {
		case "placed":
			c.placed += float64(s.Samples)
			c.ebb["["+f.Module+"]"] += s.Samples
		case "interpreted":
			c.named += float64(s.Samples)
			c.ebb["Interpreter"] += s.Samples // perf does not know whose method that runs
		case "unresolved":
			c.ebb["["+f.Module+"]"] += s.Samples
		default:
			c.named += float64(s.Samples)
			c.ebb[oneName(f.Name)] += s.Samples
		}
	}
	c.named /= float64(c.ebb.total())
	c.placed /= float64(c.ebb.total())
	return c
}

// perfLooks reads lines of ADDRESS SYMBOL (FILE).
func perfLooks(out []byte) looks {
	l := looks{}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		_, rest, _ := strings.Cut(strings.TrimSpace(lines.Text()), " ")
		open := strings.LastIndex(rest, " (")
		if open < 0 {
			continue
		}
		name, file := rest[:open], strings.TrimSuffix(rest[open+2:], ")")
		if name == "[unknown]" && (strings.HasSuffix(file, ".map") || inNoFile(file)) {
			name = nameless
		} else if name == "[unknown]" {
			name = "[" + filepath.Base(file) + "]"
		} else if strings.HasSuffix(file, ".map") {
			// "int java.lang.String.hashCode()": without type and parameters, as in ebb's reports
			if head, _, ok := strings.Cut(name, "("); ok && strings.HasSuffix(name, ")") {
				if method := head[strings.LastIndexByte(head, ' ')+1:]; len(method) < len(head) &&
					strings.Contains(method, ".") {
					name = hiddenClass.ReplaceAllString(method, ".")
				}
			}
		} else {
			name = oneName(withoutTemplates(name))
		}
		l[name]++
	}
	return l
}

// nameless stands for made code without a name, which has no file in ebb's reports.
const nameless = "[]"

// inNoFile reports whether perf found a sample in memory of no file.
func inNoFile(file string) bool {
	return strings.HasPrefix(file, "//anon") || strings.HasPrefix(file, "[anon")
}

// oneName is a name that stands for all of its function's. glibc's memcpy is its memmove, and of
// the two names at one address each profiler takes another.
func oneName(name string) string { return strings.Replace(name, "__memcpy_", "__memmove_", 1) }

// hiddenClass is where a hidden class is in memory, which ebb's reports leave out.
var hiddenClass = regexp.MustCompile(`/0x[0-9a-f]+\.`)

// withoutTemplates takes the parameters of templates off a C++ name, as ebb's reports do: a
// function's instances are one.
func withoutTemplates(name string) string {
	if strings.Contains(name, "operator") {
		return name // of < and its kin
	}
	var out strings.Builder
	depth := 0
	for _, r := range name {
		switch {
		case r == '<':
			depth++
		case r == '>' && depth > 0:
			depth--
		case depth == 0:
			out.WriteRune(r)
		}
	}
	return out.String()
}

// spearman is the correlation of ranks by two counts, over the functions that are at the top by the
// first.
func spearman(by, other looks) float64 {
	names := by.top(topRanks)
	a, b := make([]float64, len(names)), make([]float64, len(names))
	for i, n := range names {
		a[i], b[i] = float64(by[n]), float64(other[n])
	}
	return correlation(ranks(a), ranks(b))
}

// ranks are the places of values, the highest first; equal ones share the mean of theirs.
func ranks(v []float64) []float64 {
	out := make([]float64, len(v))
	for i := range v {
		above, same := 0, 0
		for j := range v {
			if v[j] > v[i] {
				above++
			} else if v[j] == v[i] {
				same++
			}
		}
		out[i] = float64(above) + float64(same-1)/2
	}
	return out
}

func correlation(x, y []float64) float64 {
	n := float64(len(x))
	var mx, my, xy, xx, yy float64
	for i := range x {
		mx += x[i] / n
		my += y[i] / n
	}
	for i := range x {
		xy += (x[i] - mx) * (y[i] - my)
		xx += (x[i] - mx) * (x[i] - mx)
		yy += (y[i] - my) * (y[i] - my)
	}
	if xx == 0 || yy == 0 {
		return 0
	}
	return xy / math.Sqrt(xx*yy)
}

// chance is how well the ranks of two independent samplings of the same distribution agree, of as
// many samples as there are: the median of many, and the least.
func (c *compared) chance() (middle, least float64) {
	const seed, times = 5, 5000
	r := rand.New(rand.NewPCG(seed, 0))
	pool := looks{}
	for name, n := range c.ebb {
		pool[name] += n
	}
	for name, n := range c.perf {
		pool[name] += n
	}
	names := pool.top(4 * topRanks) // others do not come among the first
	draw := func(share float64) looks {
		l := looks{}
		for _, name := range names {
			want := share * float64(pool[name])
			l[name] = max(int(math.Round(want+math.Sqrt(want)*r.NormFloat64())), 0)
		}
		return l
	}
	ofPerf := float64(c.perf.total()) / float64(pool.total())
	all := make([]float64, times)
	for i := range all {
		all[i] = spearman(draw(ofPerf), draw(1-ofPerf))
	}
	slices.Sort(all)
	return all[times/2], all[0]
}

// TestSamplesAgreeWithPerf: ebb's and perf's samples of the same run differ by no more than chance
// explains, in the share of each function at the top and in their ranks.
func TestSamplesAgreeWithPerf(t *testing.T) {
	devtest.Long(t)
	c := besidePerf(t, workload(t, "xalan", "2", "3"), 1999)
	ebb, perf := float64(c.ebb.total()), float64(c.perf.total())
	deviations := tolerance.Deviations(tolerance.FalseAlarm)
	apart := func(name string) (e, p, z float64) {
		e, p = float64(c.ebb[name]), float64(c.perf[name])
		both := (e + p) / (ebb + perf)
		return e, p, (e/ebb - p/perf) / math.Sqrt(both*(1-both)*(1/ebb+1/perf))
	}
	// perf has the names as of the end. ebb may know code that is no more by then.
	if e, p, z := apart(nameless); z > deviations {
		t.Errorf("made code without a name: %.0f samples, by perf %.0f", e, p)
	}
	delete(c.ebb, nameless)
	delete(c.perf, nameless)
	for _, name := range c.perf.top(topRanks) {
		if e, p, z := apart(name); math.Abs(z) > deviations {
			t.Errorf("%s: %.0f of %.0f samples, by perf %.0f of %.0f: %.1f standard "+
				"deviations apart", name, e, ebb, p, perf, z)
		}
	}
	middle, least := c.chance()
	got := spearman(c.perf, c.ebb)
	t.Logf("%.0f and %.0f samples: ranks correlate by %.3f; by chance alone by %.3f, at least %.3f",
		ebb, perf, got, middle, least)
	if got < least {
		t.Errorf(
			"the ranks of the first %d functions correlate by %.3f, less than by chance (%.3f)",
			topRanks, got, least,
		)
	}
}

// BenchmarkRanks reports for real Java programs the correlation (Spearman) between the ranks of
// ebb's and perf's first 20 functions in the same run, the correlation that chance would leave of a
// perfect one at that number of samples, and the percentages of samples whose function has a name
// or a known address. At higher rates the stacks of five seconds on two CPUs do not fit into ebb's
// memory, and the rarest are not kept.
func BenchmarkRanks(b *testing.B) {
	for _, program := range []string{"batik", "xalan", "h2", "jython", "sunflow"} {
		b.Run(program, func(b *testing.B) {
			argv := workload(b, program, "2", "5")
			var c compared
			for b.Loop() {
				c = besidePerf(b, argv, 2999)
			}
			middle, _ := c.chance()
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(c.ebb.total()), "samples")
			b.ReportMetric(spearman(c.perf, c.ebb), "spearman")
			b.ReportMetric(middle, "spearman-by-chance")
			b.ReportMetric(100*c.named, "named-%")
			b.ReportMetric(100*c.placed, "by-address-%")
		})
	}
}

// TestSpearman: ranks by hand, with a tie.
func TestSpearman(t *testing.T) {
	a := looks{"a": 40, "b": 30, "c": 20, "d": 10}
	for _, tt := range []struct {
		other looks
		want  float64
	}{
		{looks{"a": 4, "b": 3, "c": 2, "d": 1, "e": 9}, 1},
		{looks{"a": 1, "b": 2, "c": 3, "d": 4}, -1},
		{looks{"a": 3, "b": 4, "c": 2, "d": 1}, 0.8},
		{looks{"a": 4, "b": 2, "c": 2}, 0.9486832980505138},
		{looks{}, 0},
	} {
		if got := spearman(a, tt.other); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%v: %v, want %v", tt.other, got, tt.want)
		}
	}
}
