package prose

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// root is the repository, from here.
const root = "../.."

// read reads a committed file of figures.
func read(t *testing.T, f figures) {
	t.Helper()
	open := func(path string) *os.File {
		file, err := os.Open(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { file.Close() })
		return file
	}
	zipped, err := gzip.NewReader(open("internal/lab/eval/testdata/quick-seed-1.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{
		"make accuracy": f.accuracy(open("docs/figures/accuracy.txt")),
		"make bench":    f.bench(open("docs/figures/bench.txt")),
		"make costs":    f.bench(open("docs/figures/costs.txt")),
		"make eval":     f.eval(zipped),

		"make safari":          f.safari(open("docs/figures/safari.txt")),
		"make chappie":         f.bench(open("docs/figures/chappie.txt")),
		"make instrumentation": f.bench(open("docs/figures/instrumentation.txt")),
	} {
		if err != nil {
			t.Errorf("what %s wrote: %v", what, err)
		}
	}
}

// settings are numbers of pages that nobody measures: limits, defaults, thresholds, arithmetic.
// A figure of these pages that is none of them has to be quoted from a file. Of pages without a
// list only marked blocks are held against the files.
var settings = map[string][]string{
	"README.md":          {"90 %", "95 %", "5 %", "5 ms", "6.1", "6.3", "6.6"},
	"docs/prediction.md": {"6.6"},
	"docs/eval.md":       {"10 %", "500 ms", "1 ms", "0.3 points"},
	"docs/model.md":      {"90 %", "1.7", "3.0", "3.3", "75 %", "5 %", "100 us", "1 ms", "10 ms"},
	"docs/cost.md":       {"5 ms"},
	"docs/bench.md":      {"95 %"},

	"docs/papers/dep-burst.md": {"2 us"},
	"docs/functions.md":        nil,
	"docs/papers/safari.md":    {},
	"docs/papers/chappie.md":   {"64 ms", "512 ms", "95 %", "0.99", "2.20", "9.27 times"},
	"docs/methods.md": {"99 times", "100 ms", "10 ms", "95 %", "10 s", "1 %", "24 KiB", "32 MiB",
		"20 MB", "0.05 %", "100 MiB", "5 MB", "1.1 W", "6.3", "6.5", "127.0", "2 s", "1 ms", "3.1",
		"3.5", "2.5 %", "5 %", "0.85", "0.99", "512 ms", "0.6", "1.2 times", "8 %", "3.12"},
}

// TestFiguresAreTheFiles holds the figures of the documentation against the files that make
// accuracy, bench, costs, eval, safari, chappie and instrumentation write, and refuses a figure
// that comes from no file.
func TestFiguresAreTheFiles(t *testing.T) {
	f := figures{}
	read(t, f)
	quoted := 0
	for page, constants := range settings {
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range blocks(string(text)) {
			switch {
			case b.Output != "":
				isExcerpt(t, page, &b)
			case b.Code:
			case b.Quotes != nil:
				if err := b.check(f); err != nil {
					t.Errorf("%s:%d: %v", page, b.Line, err)
				}
				quoted += len(b.Quotes)
			default:
				for _, n := range b.numbers() {
					if constants != nil && !slices.Contains(constants, n.Text) {
						t.Errorf("%s:%d: %s is neither quoted nor a setting", page, b.Line, n.Text)
					}
				}
			}
		}
	}
	if quoted < 40 {
		t.Errorf("%d figures are quoted: the marks are not read", quoted)
	}
}

// isExcerpt checks that a block of code has lines of a file, in their order; "..." stands for some.
func isExcerpt(t *testing.T, page string, b *block) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs/figures", b.Output))
	if err != nil {
		t.Errorf("%s:%d: %v", page, b.Line, err)
		return
	}
	lines := strings.Split(string(text), "\n")
	for line := range strings.Lines(b.Text) {
		line = strings.TrimPrefix(strings.TrimSuffix(line, "\n"), "    ")
		if line == "..." || strings.HasPrefix(line, "$ ") {
			continue
		}
		i := slices.Index(lines, line)
		if i < 0 {
			t.Errorf("%s:%d: not in docs/figures/%s, or in another place: %q", page, b.Line,
				b.Output, line)
			return
		}
		lines = lines[i+1:]
	}
}

// TestWrongFiguresAreFound: a page whose figures are others than the file's is refused, whatever is
// wrong with it.
func TestWrongFiguresAreFound(t *testing.T) {
	f := figures{}
	for _, err := range []error{
		f.accuracy(strings.NewReader("ordinary: 1 to 4 GHz, error in %\n" +
			"                     bfs  mean abs    worst    paper\n" +
			"wake                -1.3      3.24     13.1\n" +
			"dep                    -         -        -\n" +
			"wake, real counters  +4.9      3.94     14.1        6\n\n" +
			"and more\nchosen  3.5 (1)\n")),
		f.bench(strings.NewReader("goos: linux\nBenchmarkOwn/java-2   1   23.63 own-MiB   " +
			"3812 ns/op\nPASS\n")),
		f.eval(strings.NewReader(`[{"figure": "2", "workload": "mean", "series": "wake from 1GHz",
			"x": 4, "value": 3.8552, "unit": "%", "paper": null}]`)),
		f.safari(strings.NewReader("2026, 3 rounds\n\nTable IV: a call in ns;\nSAFARI: 200\n" +
			"  gprof, of 3.1 us   1062.50  (quartiles 1 to 2)\n\nTable III: by n and m\n" +
			"  kernel   n     m = 2     m = 4\n  bt omp   4    -1.4%      6.6% (5 to 7)\n")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	const marks = "accuracy 1 to 4 GHz, wake, mean | accuracy 1 to 4 GHz, wake, worst | " +
		"bench Own/java, ns/op | bench Own/java, own-MiB | eval 2, mean, wake from 1GHz, 4 | " +
		"\"4 %\" | safari IV, gprof, of 3.1 us | safari III, bt omp 4, m = 2 | " +
		"safari III, bt omp 4, m = 4"
	const good = "ebb errs by 3.2 % (13.1), takes\n3.8 us and 24 MiB, `not 7 %`, and 3.86 % of " +
		"4 %.\nA call takes 1.06 us, -1.4 % and 6.6 %."
	for text, right := range map[string]bool{
		good:                                                true,
		strings.Replace(good, "3.2", "3.3", 1):              false,
		strings.Replace(good, "13.1", "13.2", 1):            false,
		strings.Replace(good, "3.8 us", "3.9 us", 1):        false,
		strings.Replace(good, "3.8 us", "3.8 ms", 1):        false,
		strings.Replace(good, "of 4 %", "of 5 %", 1):        false,
		strings.Replace(good, "3.86 %", "3.9 %", 1):         true,
		strings.Replace(good, "takes", "takes 7 ms", 1):     false,
		strings.Replace(good, ", and 3.86 % of 4 %", "", 1): false,
		strings.Replace(good, "1.06 us", "1.05 us", 1):      false,
		strings.Replace(good, "6.6 %", "6.7 %", 1):          false,
	} {
		page := "Words.\n\n<!-- figures: " + strings.Replace(marks, "| bench", "|\nbench", 1) +
			" -->\n" + text + "\n\nMore words.\n"
		blocks := blocks(page)
		if len(blocks) != 3 {
			t.Fatalf("%d blocks of %q: %+v", len(blocks), page, blocks)
		}
		if err := blocks[1].check(f); (err == nil) != right {
			t.Errorf("%q: %v, %v", text, err, blocks[1].numbers())
		}
	}
}
