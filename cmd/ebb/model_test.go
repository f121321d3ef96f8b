package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/command"
)

// writeMetered writes a table of programs on a machine that draws 100 W at rest and 2 W for each
// percent of busy time.
func writeMetered(t *testing.T, programs int) string {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 0))
	var text bytes.Buffer
	z := gzip.NewWriter(&text)
	fmt.Fprintln(z, "name,watts,cpu_user,mem_free")
	for p := range programs {
		for i := range 40 {
			busy := 5 + 10*float64(p) + 10*r.Float64()
			fmt.Fprintf(z, "p%d\x1b,%.3f,%.3f,%d\n", p, 100+2*busy+r.NormFloat64(), busy, i)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "table.csv.gz")
	if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func crossval(args ...string) (status command.Status, out, errs string) {
	var stdout, stderr bytes.Buffer
	status = ebb(append([]string{"model", "crossval"}, args...),
		command.Stdio{In: os.Stdin, Out: &stdout, Err: &stderr})
	return status, stdout.String(), stderr.String()
}

func TestCrossval(t *testing.T) {
	path := writeMetered(t, 6)
	columns := []string{"--power", "watts", "--program", "name"}
	status, out, errs := crossval(append(columns, path, "--json")...)
	if status != 0 || errs != "" {
		t.Fatalf("status %d: %s", status, errs)
	}
	var got struct {
		Programs []map[string]any
		Held     *float64 `json:"interval_held"`
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Programs) != 6 || got.Held == nil {
		t.Fatalf("%s", out)
	}
	for _, p := range got.Programs {
		for _, key := range []string{"total_error_left_out", "total_error_later_half"} {
			if e, ok := p[key].(float64); !ok || math.Abs(e) > 0.25 {
				t.Errorf("%v: %s is %v", p["program"], key, p[key])
			}
		}
		if p["rows"] != 40.0 {
			t.Errorf("%v has %v rows", p["program"], p["rows"])
		}
	}
	status, out, _ = crossval(append(columns, path)...)
	if status != 0 || !strings.Contains(out, "inside their 90 % interval") ||
		!strings.Contains(out, "\nabove idle: ") || !strings.Contains(out, "\nheld: ") ||
		strings.Contains(out, "\x1b") {
		t.Errorf("status %d: %q", status, out)
	}
}

func TestCrossvalRefuses(t *testing.T) {
	path, few := writeMetered(t, 6), writeMetered(t, 3)
	broken := filepath.Join(t.TempDir(), "broken.gz")
	if err := os.WriteFile(broken, []byte("\x1f\x8bnot gzip"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		want   string
		status command.Status
		args   []string
	}{
		{"give one table", 2, nil},
		{"--power is missing", 2, []string{path, "--program", "name"}},
		{"--program is missing", 2, []string{path, "--power", "watts"}},
		{"unknown inputs", 2, []string{path, "--power", "watts", "--program", "name", "--inputs",
			"x"}},
		{"unknown learner", 2, []string{path, "--power", "watts", "--program", "name", "--learner",
			"x"}},
		{`no column "volts"`, 2, []string{path, "--power", "volts", "--program", "name"}},
		{"3 programs", 2, []string{few, "--power", "watts", "--program", "name"}},
		{"gzip", 2, []string{broken, "--power", "watts", "--program", "name"}},
		{"no such file", 2, []string{path + "x", "--power", "watts", "--program", "name"}},
	} {
		status, out, errs := crossval(c.args...)
		if status != c.status || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%q: status %d, %q, %q", c.args, status, out, errs)
		}
	}
}
