package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/app/models"
	"github.com/ebb-energy/ebb/internal/command"
)

func model(args ...string) (status command.Status, out, errs string) {
	var stdout, stderr bytes.Buffer
	status = ebb(append([]string{"model"}, args...),
		command.Stdio{In: os.Stdin, Out: &stdout, Err: &stderr})
	return status, stdout.String(), stderr.String()
}

func mustModel(t *testing.T, args ...string) string {
	t.Helper()
	status, out, errs := model(args...)
	if status != 0 || errs != "" {
		t.Fatalf("%q: status %d: %s", args, status, errs)
	}
	return out
}

var meteredColumns = []string{"--power", "watts", "--program", "name"}

// A model is trained on a table, shown, compared with the table, explained, given to XGBoost and
// read back.
func TestModelFiles(t *testing.T) {
	table, dir := writeMetered(t, 6), t.TempDir()
	file, page := filepath.Join(dir, "m.ebbmodel"), filepath.Join(dir, "page.html")
	mustModel(t, append([]string{"train", table, "-o", file, "--learner", "xgboost",
		"--cpu-model", "a \x1bCPU", "--cpus", "4"}, meteredColumns...)...)

	shown := mustModel(t, "show", file)
	for _, part := range []string{"learner xgboost, 1 input ", `of kind "os"`, `a \x1bCPU`,
		"90 % interval", "cpu_user", "240"} {
		if !strings.Contains(shown, part) {
			t.Errorf("show: no %q in %q", part, shown)
		}
	}
	var all []models.ShownModel
	if err := json.Unmarshal([]byte(mustModel(t, "show", file, "--json")), &all); err != nil ||
		len(all) != 1 || all[0].Interval == nil || len(all[0].Programs) != 6 {
		t.Errorf("show --json: %+v, %v", all, err)
	}

	on := append([]string{file, table, "--html", page}, meteredColumns...)
	text := mustModel(t, append([]string{"validate"}, on...)...)
	if !strings.Contains(text, "the errors are no prediction") ||
		!strings.Contains(text, "left out: trained on the other programs") {
		t.Errorf("validate: %q", text)
	}
	isPage(t, page, "How far")
	var v models.ValidationResult
	if err := json.Unmarshal([]byte(mustModel(t, append([]string{"validate", "--json"},
		on...)...)), &v); err != nil || len(v.Programs) != 6 || v.Learned == nil ||
		len(v.Learned.Coverage) == 0 || !v.Programs[0].Seen {
		t.Errorf("validate --json: %+v, %v", v, err)
	}

	text = mustModel(t, append([]string{"explain", "--ablation"}, on...)...)
	if !strings.Contains(text, "cpu_user") || !strings.Contains(text, "first 1 input\n") {
		t.Errorf("explain: %q", text)
	}
	isPage(t, page, "Where the predictions")
	exported := filepath.Join(dir, "m.json")
	mustModel(t, "export", file, "--xgboost", "-o", exported)
	back := filepath.Join(dir, "back.ebbmodel")
	mustModel(t, "import", exported, "-o", back)
	samePredictions(t, on, append([]string{back, table}, meteredColumns...))
	if text := mustModel(t, "show", back); !strings.Contains(text, "is unknown") {
		t.Errorf("show of an imported model: %q", text)
	}
	mustModel(t, append([]string{"validate", back, table}, meteredColumns...)...)
}

func isPage(t *testing.T, path, heading string) {
	t.Helper()
	page, err := os.ReadFile(path)
	if err != nil || !bytes.Contains(page, []byte(heading)) || !bytes.Contains(page,
		[]byte("</html>")) {
		t.Errorf("%s: no page with %q: %v", path, heading, err)
	}
}

// samePredictions compares what explain prints, and that parts sum up.
func samePredictions(t *testing.T, one, other []string) {
	t.Helper()
	var of [2]models.ExplanationResult
	for i, args := range [][]string{one, other} {
		if err := json.Unmarshal([]byte(mustModel(t, append([]string{"explain", "--json"},
			args...)...)), &of[i]); err != nil {
			t.Fatal(err)
		}
	}
	if len(of[0].Intervals) != 240 || len(of[1].Intervals) != 240 {
		t.Fatalf("%d and %d intervals", len(of[0].Intervals), len(of[1].Intervals))
	}
	for r, a := range of[0].Intervals {
		b, sum := of[1].Intervals[r], of[0].Base
		for _, part := range a.Parts {
			sum += part
		}
		if math.Abs(a.Power-b.Power) > 1e-3 || math.Abs(sum-a.Power) > 1e-3 {
			t.Fatalf("interval %d: %v W, %v W, parts %v W", r, a.Power, b.Power, sum)
		}
	}
}

func TestModelFilesRefused(t *testing.T) {
	table, dir := writeMetered(t, 6), t.TempDir()
	file := filepath.Join(dir, "m.ebbmodel")
	mustModel(t, append([]string{"train", table, "-o", file}, meteredColumns...)...)
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	other := write("other.csv", "name,watts,contexts\na,100,1\nb,110,2\n")
	for _, c := range []struct {
		want string
		args []string
	}{
		{"give one power model", []string{"show"}},
		{"no such file", []string{"show", file + "x"}},
		{"not a power model of ebb", []string{"show", other}},
		{"a newer ebb", []string{"show", write("new", `{"ebbmodel":99}`)}},
		{"is damaged", []string{"show", write("bad", `{"ebbmodel":1,"inputs":[]}`)}},
		{"give a model and a metered table", append([]string{"validate", file}, meteredColumns...)},
		{"--power is missing", []string{"validate", file, table, "--program", "name"}},
		{"--program is missing", []string{"explain", file, table, "--power", "watts"}},
		{`no column "cpu_user"`, append([]string{"validate", file, other}, meteredColumns...)},
		{"--html", append([]string{"validate", file, table, "--html", "/no/such/x.html"},
			meteredColumns...)},
		{"cannot hold", []string{"export", file, "--xgboost"}},
		{"--xgboost is missing", []string{"export", file}},
		{`"learner" is a string`, []string{"import", file}},
		{"binary format", []string{"import", write("m.ubj", "{L\x00")}},
		{"no such file", []string{"import", file + "x"}},
		{"at least 100", append([]string{"train", other}, "--power", "watts", "--program", "name")},
		{"unknown learner", append([]string{"train", table, "--learner", "x"}, meteredColumns...)},
	} {
		status, out, errs := model(c.args...)
		if status != 2 || out != "" || !strings.Contains(errs, c.want) ||
			strings.Count(errs, "\n") != 1 {
			t.Errorf("%q: status %d, %q, %q", c.args, status, out, errs)
		}
	}
	status, _, errs := model(append([]string{"train", table, "-o", table}, meteredColumns...)...)
	if status != 2 || !strings.Contains(errs, "that is read") {
		t.Errorf("onto itself: status %d, %q", status, errs)
	}
}
