package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// TestReportFormats: every format can be written, to standard output and to a file, and go tool
// pprof reads its own.
func TestReportFormats(t *testing.T) {
	besideOthers(t)
	needRoot(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "r.json")
	if res := ebb(t, append([]string{"run", "--quiet", "--methods", "--as-if", "table2", "--report",
		path, "--"}, workload(t, "split", "0.5")...)...); res.code != 0 {
		t.Fatalf("status %d: %s", res.code, res.stderr)
	}
	for format, has := range map[string]string{
		"text": "most", "csv": "rank,unit,energy_j", "json": `"unit": "most"`, "folded": ";most ", "speedscope": "speedscope.app", "html": ">Flame graph</h2>", "pprof": "\x1f\x8b",
	} {
		out := filepath.Join(dir, format)
		res := ebb(t, "report", "--format", format, "-o", out, path)
		b, err := os.ReadFile(out)
		if err != nil || res.code != 0 || !bytes.Contains(b, []byte(has)) {
			t.Errorf("%s: status %d, %v, %.200q, %s", format, res.code, err, b, res.stderr)
		}
		if stdout := ebb(t, "report", "--format", format, path).stdout; stdout != string(b) &&
			format != "pprof" {
			t.Errorf("%s: standard output is another than the file", format)
		}
	}
	t.Run("pprof", func(t *testing.T) {
		devtest.Long(t) // go compiles the tool where it has not done so
		out, err := exec.CommandContext(t.Context(), "go", "tool", "pprof", "-top",
			filepath.Join(dir, "pprof")).CombinedOutput()
		if err != nil || !bytes.Contains(out, []byte("Type: energy")) ||
			!bytes.Contains(out, []byte("most")) {
			t.Errorf("go tool pprof: %v\n%s", err, out)
		}
	})
	for _, by := range []string{"class", "package", "thread", "context", "cfa1", "cfa2", "phase",
		"frequency", "method@frequency"} {
		if res := ebb(t, "report", "--by", by, path); res.code != 0 ||
			!strings.Contains(res.stdout, "attributed") {
			t.Errorf("by %s: status %d, %s%s", by, res.code, res.stdout, res.stderr)
		}
	}
	if res := ebb(t, "report", "--rule", "all", path); res.code != 0 ||
		!strings.Contains(res.stdout, "jalen") {
		t.Errorf("all rules: status %d, %s%s", res.code, res.stdout, res.stderr)
	}
}

// TestBadReports: ebb refuses a file that is no report, or that contradicts itself, with the file's
// name.
func TestBadReports(t *testing.T) {
	besideOthers(t)
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const good = `{"attribution":{"rules":["ledger"],"zones":[],"threads":[{"tid":1}],"frames":[],"stacks":[]}}`
	for name, tc := range map[string]struct {
		args  []string
		words []string
	}{
		"missing": {[]string{filepath.Join(dir, "none.json")}, []string{"none.json"}},
		"no file": {nil, []string{"takes 1 to"}},
		"twice": {[]string{write("t.json", good), filepath.Join(dir, "t.json")},
			[]string{"t.json", "the same run"}},
		"several as a page": {[]string{"a", "b", "--format", "html"}, []string{"text or json"}},
		"several by function": {[]string{"a", "b", "--by", "function"},
			[]string{"units of the profile"}},
		"a bad one": {[]string{write("s.json", good), write("s2.json", "hello")},
			[]string{"s2.json", "not a report of ebb run"}},
		"no JSON": {[]string{write("text.json", "hello")},
			[]string{"text.json", "not a report of ebb run"}},
		"no attribution": {[]string{"--by", "method", write("plain.json", `{"ebb_version":"1"}`)},
			[]string{"plain.json", "--methods"}},
		"no report": {[]string{write("empty.json", "{}")},
			[]string{"empty.json", "not a report of ebb run"}},
		"unbalanced": {[]string{write("odd.json",
			`{"attribution":{"rules":["ledger"],"zones":[{"name":"z","total_nj":5,"attributed_nj":[1],"others_nj":[1],"idle_nj":[1],"unattributed_nj":[1]}]}}`)},
			[]string{"odd.json", "does not add up"}},
		"bad index": {[]string{write("index.json",
			`{"attribution":{"rules":["ledger"],"stacks":[{"thread":7,"energy_nj":[1]}]}}`)},
			[]string{"index.json", "stack 0"}},
		"view": {[]string{"--by", "colour", write("v.json", good)},
			[]string{"colour", "context"}},
		"rule": {[]string{"--rule", "fair", write("u.json", good)},
			[]string{"fair", "ledger"}},
		"format": {[]string{"--format", "xml", write("f.json", good)},
			[]string{"xml", "speedscope"}},
		"output": {[]string{"-o", filepath.Join(dir, "no", "such"), write("o.json", good)},
			[]string{"--output"}},
		"a directory": {[]string{dir}, []string{dir}},
	} {
		t.Run(name, func(t *testing.T) {
			refused(t,
				ebb(t, append([]string{"report"}, tc.args...)...), 2, tc.words...)
		})
	}
	for _, rate := range []string{"0", "-1", "10001", "x"} {
		refused(t, ebb(t, "run", "--methods", "--rate", rate, "--", "true"), 2, "rate")
	}
}
