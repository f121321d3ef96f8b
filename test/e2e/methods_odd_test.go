package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// endedThreads matches the number of ended threads that a line stands for.
var endedThreads = regexp.MustCompile(`\((\d+) ended of \d+\)`)

// TestMethodsOfAnOddProgram: a program that deletes its own file, has a name that is no text,
// creates ten thousand threads and computes 200 calls deep ends like any other, and the report
// shows each of these correctly.
func TestMethodsOfAnOddProgram(t *testing.T) {
	devtest.Long(t)
	needRoot(t)
	nothingLeft(t)
	dir := t.TempDir()
	own, err := os.ReadFile(workload(t, "odd")[0])
	if err != nil {
		t.Fatal(err)
	}
	program, path := filepath.Join(dir, "odd"), filepath.Join(dir, "r.json")
	if err := os.WriteFile(program, own, 0o755); err != nil {
		t.Fatal(err)
	}
	// A rate that is asked for stays: ten thousand threads cost more than the budget.
	res := ebb(t, "run", "--methods", "--rate", "99", "--report", path, "--", program, "700",
		"10000")
	if res.code != 0 {
		t.Fatalf("status %d: %s", res.code, res.stderr)
	}
	byThread := unitRows(t, path, "--by", "thread")
	t.Run("deleted file", func(t *testing.T) {
		if _, err := os.Stat(program); err == nil {
			t.Error("the program did not delete itself")
		}
		// The threads before it are never sampled, so that what is is the one function.
		if r := unitRows(t, path)["deep"]; r.Samples < 30 || r.Share < 0.3 {
			t.Errorf("deep: %+v", r)
		}
	})
	t.Run("10,000 threads", func(t *testing.T) { checkManyThreads(t, byThread, unitRows(t, path)) })
	t.Run("a name that is no text", func(t *testing.T) { checkOddNames(t, byThread, path) })
	t.Run("200 frames", func(t *testing.T) {
		for line := range strings.Lines(ebb(t, "report", "--format", "folded", path).stdout) {
			if strings.Count(line, ";deep") > 200 && strings.Contains(line, ";main;deep;") {
				return
			}
		}
		t.Errorf("no stack has all 200 calls:\n%s", ebb(t, "report", path).stdout)
	})
	for _, format := range []string{"html", "folded", "pprof", "speedscope", "csv"} {
		if res := ebb(t, "report", "--format", format, path); res.code != 0 || res.stdout == "" {
			t.Errorf("%s: status %d, %s", format, res.code, res.stderr)
		}
	}
}

// checkManyThreads: of 10,001 threads all are in the report, apart or in lines of several, with the
// energy that the methods have.
func checkManyThreads(t *testing.T, byThread, byMethod map[string]unitRow) {
	t.Helper()
	var sum, all int64
	threads := 0
	for unit, r := range byThread {
		sum += r.Energy
		ended := 1 // ebb keeps some thousands apart, and one line stands for the rest
		if m := endedThreads.FindStringSubmatch(unit); m != nil {
			var err error
			if ended, err = strconv.Atoi(m[1]); err != nil {
				t.Fatal(err)
			}
		}
		threads += ended
	}
	for _, r := range byMethod {
		all += r.Energy
	}
	// When more than 4096 have ended, ebb keeps half of that apart (internal/energy/attribution).
	// The machine's load decides how often that happens in the run.
	const apart = 4096 / 2
	if threads != 10_001 || len(byThread) < apart || sum != all || sum == 0 {
		t.Errorf("%d threads in %d lines with %d nJ, methods with %d", threads, len(byThread),
			sum, all)
	}
}

// checkOddNames: a thread's name that is no text is shown as one, in its line.
func checkOddNames(t *testing.T, byThread map[string]unitRow, path string) {
	t.Helper()
	for unit := range byThread {
		if !strings.HasPrefix(unit, "\uFFFD\uFFFD;<b>\n (") {
			t.Fatalf("a thread is called %q", unit)
		}
	}
	text := ebb(t, "report", "--by", "thread", "--top", "5", path).stdout
	_, rows, _ := strings.Cut(text, "  rank\n")
	for i, line := range strings.Split(strings.TrimSpace(rows), "\n")[:5] {
		fields := 8
		if strings.Contains(text, "  watts  ") { // with a meter, or a model of the machine
			fields = 12
		}
		if endedThreads.MatchString(line) {
			fields += 3
		}
		if !utf8.ValidString(line) || len(strings.Fields(line)) != fields {
			t.Errorf("row %d is %q", i, line)
		}
	}
}

// TestMethodsOfAKilledJVM: a Java machine that is killed writes no map of its code; its methods
// have been named by then.
func TestMethodsOfAKilledJVM(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	java := strings.Join(workload(t, "java-split", "30"), " ")
	// after three seconds of its CPU time
	const script = " & p=$!; while [ $(cut -d' ' -f14 /proc/$p/stat) -lt 300 ]; " +
		"do sleep 0.1; done; kill -9 $p; wait; true"
	path := filepath.Join(t.TempDir(), "r.json")
	res := ebb(t, "run", "--quiet", "--methods", "--report", path, "--", "sh", "-c", java+script)
	if res.code != 0 {
		t.Fatalf("status %d: %s", res.code, res.stderr)
	}
	rows := unitRows(t, path)
	if named, not := rows["Split.most"].Samples, rows["[unresolved]"].Samples; named < 20 ||
		not > named/10 {
		t.Errorf("%d samples of its busiest method, %d unresolved: %v", named, not, rows)
	}
}

// TestMethodsWithALyingMap: a program has a map of compiled code that claims all of its address
// space, with lines that are none and names that are no text. Its functions are named by its file
// all the same.
func TestMethodsWithALyingMap(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	dir := t.TempDir()
	var lies strings.Builder
	lies.WriteString("nonsense\n7f00 10\n\x00\xff\xfe\nffffffffffffffff ff wraps\n0 0 empty\n")
	// where position independent programs are
	for start := uint64(0x550000000000); start < 0x570000000000; start += 1 << 30 {
		fmt.Fprintf(&lies, "%x %x void evil.Map\xff.claims()\n", start, 1<<30)
	}
	file, path := filepath.Join(dir, "map"), filepath.Join(dir, "r.json")
	if err := os.WriteFile(file, []byte(lies.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	before := perfMaps(t)
	t.Cleanup(func() { // ebb leaves it alone: it did not ask for it
		for path := range perfMaps(t) {
			i, err := os.Lstat(path)
			if before[path] || err != nil || !i.Mode().IsRegular() ||
				i.Size() != int64(lies.Len()) {
				continue // another's may be a pipe, or endless
			}
			if b, err := os.ReadFile(path); err == nil && string(b) == lies.String() {
				os.Remove(path)
			}
		}
	})
	script := "cp " + file + " /tmp/perf-$$.map; exec " +
		strings.Join(workload(t, "split", "0.7"), " ")
	res := ebb(t, "run", "--quiet", "--methods", "--rate", "499", "--report", path, "--", "sh",
		"-c", script)
	if res.code != 0 {
		t.Fatalf("status %d: %s", res.code, res.stderr)
	}
	rows := unitRows(t, path)
	if r := rows["most"]; r.Share < 0.4 {
		t.Errorf("most: %+v", r)
	}
	for unit := range rows {
		if strings.Contains(unit, "evil") {
			t.Errorf("%s: %+v", unit, rows[unit])
		}
	}
	if text := ebb(t, "report", path).stdout; !strings.Contains(text, "lines without sense") {
		t.Errorf("nothing said of the map:\n%s", text)
	}
}
