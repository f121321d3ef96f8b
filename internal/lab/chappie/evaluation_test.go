package chappie

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	programCSV = "command,period_ms,runs,wall_s,wall_sd_s,methods,threads,running,power\n" +
		"java H2,32,3,2.5,0.1,120,17,1.4,modelled by table2\n"
	overheadCSV = "period_ms,time,time_low_95,time_high_95,temporal,temporal_se,spatial," +
		"spatial_se,verdict,batches,convergence,convergence_se,convergence_rmse\n" +
		"1,0.2,0.1,0.3,0.5,0.01,,,disturbed,2,,,\n" +
		"32,0.01,-0.02,0.04,0.95,0.01,0.8,0.01,calm,4,0.995,0.001,0.002\n"
	footprintCSV = "by,unit,energy_share,energy_share_least,energy_share_most,cpu_share," +
		"over_attribution\nmethod,<b>h2.Page.find,0.4,0.3,0.5,0.3,1.75\nclass,Page,1,1,1,1,1.5\n"
)

func results(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "h2"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"program.csv": programCSV,
		"overhead.csv": overheadCSV, "footprint.csv": footprintCSV} {
		if err := os.WriteFile(filepath.Join(dir, "h2", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestTogether: the page, the table and the text have the chosen period's verdicts with the paper's
// values beside them; a program without results is left out.
func TestTogether(t *testing.T) {
	dir := results(t)
	var out, missing strings.Builder
	if err := Evaluate(dir, []string{"batik", "h2"}, &out, &missing); err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{"stdout": out.String(), "stderr": missing.String()}
	for _, name := range []string{"chappie.html", "chappie.csv"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(b)
	}
	for name, want := range map[string][]string{
		"stderr": {"no results of batik: "},
		"stdout": {"BenchmarkChappie/h2 1\t32 ms\t2.5 s", "\t1 time-%\t", "\t1.75 over-x\n",
			"BenchmarkChappie 1\t1 programs\t1 calm\t1 time-passes\n"},
		"chappie.csv": {"h2,1,0.2,0.1,0.3,,,,", ",fail,fail,not known,-15.63,0.75,0.04\n",
			",pass,pass,fail,-3.15,0.94,0.91\n"},
		"chappie.html": {`<a href="h2/calm.html">h2</a>`, "modelled by table2", "-3.15 %",
			`<td class="no">fail</td>`, `<td class="yes">calm</td>`, "1.75 times", "&lt;b&gt;h2",
			"<svg"},
	} {
		for _, w := range want {
			if !strings.Contains(texts[name], w) {
				t.Errorf("%s: no %q in\n%s", name, w, texts[name])
			}
		}
	}
}

// TestUndelayedIsJudged: where the time without waiting for CPUs is known, it is the criterion.
func TestUndelayedIsJudged(t *testing.T) {
	l := line{"time_low_95": "-0.5", "time_high_95": "2", "undelayed": "0.01",
		"undelayed_low_95": "-0.01", "undelayed_high_95": "0.03"}
	if time, _, _ := criteria(l); time != "pass" {
		t.Errorf("without waiting it is within 3 %%, and yet: %s", time)
	}
	l["undelayed"] = ""
	if time, _, _ := criteria(l); time != "open" {
		t.Errorf("with waiting it is -50 to 200 %%, and yet: %s", time)
	}
}

// TestNoResults: what cannot be read is an error, and nothing is written.
func TestNoResults(t *testing.T) {
	dir := results(t)
	var out strings.Builder
	if err := Evaluate(dir, []string{"batik"}, &out, io.Discard); err == nil {
		t.Error("no error without any result")
	}
	file := filepath.Join(dir, "h2", "program.csv")
	for _, text := range []string{"", "a,b\n1\n", "a\n", "a,b\n1,2\n3,4\n"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := Evaluate(dir, []string{"h2"}, &out, io.Discard); err == nil {
			t.Errorf("no error with %q", text)
		}
	}
}

// FuzzTable: a table may have anything in it.
func FuzzTable(f *testing.F) {
	f.Add(programCSV)
	f.Add(overheadCSV)
	f.Add("\"a\n")
	f.Fuzz(func(t *testing.T, text string) {
		lines, err := parseTable(strings.NewReader(text))
		if err != nil || len(lines) == 0 {
			return
		}
		r := result{name: "h2", program: lines[0], overhead: lines, footprint: lines}
		criteria(r.chosen())
		if err := writePage(&strings.Builder{}, []result{r}); err != nil {
			t.Error(err)
		}
	})
}
