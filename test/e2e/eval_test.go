package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestEvalBadUsage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ args, says string }{
		{"--figure 1", `unknown figure "1"`},
		{"--figure 7,seven", `"seven"`},
		{"--figure", "flag needs an argument"},
		{"--seed -1", "--seed"},
		{"--figure 6 extra", "takes no argument"},
		{"--figure 6 -o " + file, "not a directory"},
		{"--figure 6 -o " + file + "/below", "not a directory"},
		{"--fast", "unknown flag"},
	} {
		t.Run(tc.args, func(t *testing.T) {
			refused(t, lab(t, append([]string{"eval"}, strings.Fields(tc.args)...)...), 2, tc.says)
		})
	}
}

// TestEval: one figure gives a self-contained page and rows with all members, the same
// bytes each time, also with one processor instead of several.
func TestEval(t *testing.T) {
	besideOthers(t)
	var pages, rows [2][]byte
	for i, processors := range []string{"1", "4"} {
		dir := filepath.Join(t.TempDir(), "a", "b")
		cmd := labCommand(t, "eval", "--quick", "--figure", "6", "--seed", "3", "-o", dir)
		cmd.Env = append(os.Environ(), "GOMAXPROCS="+processors)
		r := finish(t, cmd)
		if r.code != 0 || !strings.Contains(r.stderr, "2 of 2 runs done") ||
			!strings.Contains(r.stdout, "eval.html") || strings.Contains(r.stderr, "\x1b") {
			t.Fatalf("status %d\n%s\n%s", r.code, r.stdout, r.stderr)
		}
		var err error
		if pages[i], err = os.ReadFile(filepath.Join(dir, "eval.html")); err != nil {
			t.Fatal(err)
		}
		if rows[i], err = os.ReadFile(filepath.Join(dir, "eval.json")); err != nil {
			t.Fatal(err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
			t.Errorf("%d files in the directory, %v", len(left), err)
		}
	}
	if !bytes.Equal(pages[0], pages[1]) || !bytes.Equal(rows[0], rows[1]) {
		t.Error("other bytes the second time")
	}
	var all []map[string]any
	if err := json.Unmarshal(rows[0], &all); err != nil || len(all) < 10 {
		t.Fatalf("%d rows, %v", len(all), err)
	}
	for _, row := range all {
		if len(row) != 7 || row["figure"] != "6" || row["workload"] != "xalan" ||
			row["unit"] != "GHz" || row["paper"] != nil {
			t.Fatalf("%v", row)
		}
		if v, ok := row["value"].(float64); !ok || v < 1 || v > 4 {
			t.Errorf("a frequency of %v GHz", row["value"])
		}
	}
	if !bytes.Contains(pages[0], []byte("<svg")) || bytes.Contains(pages[0], []byte(`src="`)) {
		t.Error("the page has no drawing, or needs another file")
	}
	r := lab(t, "eval", "--quick", "--figure", "6", "--seed", "3", "--json")
	if r.code != 0 || r.stdout != string(rows[0]) {
		t.Errorf("--json: status %d, not the bytes of the file", r.code)
	}
}

// TestEvalInterrupted: SIGINT ends it with the status of a signal and leaves no file, whole or
// half.
func TestEvalInterrupted(t *testing.T) {
	besideOthers(t)
	dir := t.TempDir()
	cmd := labCommand(t, "eval", "-o", dir)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	reported := bufio.NewReader(stderr)
	first, err := reported.ReadString('\n')
	if err != nil || !strings.Contains(first, "runs on the simulated machine") {
		t.Fatalf("%q, %v", first, err)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	rest, _ := io.ReadAll(reported)
	_ = cmd.Wait() // how it ended is in its state
	if code := cmd.ProcessState.ExitCode(); code != 128+int(syscall.SIGINT) {
		t.Errorf("status %d\n%s", code, rest)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("%d files are left, %v", len(left), err)
	}
}
