package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// marking is a program that marks by the command, by lines of its own, and badly. A line without a
// time has that of its reading: ebb must get a CPU to read it before the region ends.
const marking = `
ebb=$0
spin() { i=0; while [ $i -lt $1 ]; do i=$((i+1)); done; }
for k in 1 2 3; do
	$ebb mark begin loop
	spin 30000
	$ebb mark end loop
done
echo begin raw > $EBB_MARKS
spin 300000
echo end raw > $EBB_MARKS
$ebb mark begin sleeps
sleep 0.3
$ebb mark end sleeps
head -c 200000 /dev/urandom > $EBB_MARKS
echo > $EBB_MARKS
i=0; while [ $i -lt 2000 ]; do echo "begin x$i"; i=$((i+1)); done > $EBB_MARKS
`

// TestRegions: a shell marks regions, ebb report cuts to them, and what is no mark does no harm.
func TestRegions(t *testing.T) {
	besideOthers(t)
	needRoot(t)
	dir := t.TempDir()
	for _, kind := range []string{"--methods", "--threads"}[:devtest.Cases(2, 1)] {
		path := filepath.Join(dir, kind+".json")
		res := ebb(t, "run", "--quiet", "--shadow", kind, "--regions", "--report", path, "--",
			"bash", "-c", marking, ebbPath(t))
		if res.code != 0 {
			t.Fatalf("status %d: %s", res.code, res.stderr)
		}
		var rows []struct {
			Name       string
			Iteration  int
			Iterations int
			CPU        int64 `json:"cpu_ns"`
			Dur        int64 `json:"dur_ns"`
			Energy     int64 `json:"energy_nj"`
		}
		res = ebb(t, "report", path, "--by", "region", "--format", "json")
		if err := json.Unmarshal([]byte(res.stdout), &rows); err != nil {
			t.Fatalf("%v: %s%s", err, res.stdout, res.stderr)
		}
		found := map[string]int64{}
		for _, r := range rows {
			if strings.HasPrefix(r.Name, "x") {
				continue
			}
			if r.Iteration == 0 {
				found[r.Name] = r.CPU
			}
			if r.CPU < 0 || r.Dur <= 0 || r.Energy <= 0 || r.Name == "loop" && r.Iteration == 0 &&
				r.Iterations != 3 {
				t.Errorf("%s: %+v", kind, r)
			}
		}
		if len(found) != 3 || found["loop"] <= found["sleeps"] || found["raw"] <= found["sleeps"] {
			t.Errorf("%s: CPU time %v", kind, found)
		}
		for args, want := range map[string]string{"--region loop": "(rule ledger)",
			"--region loop#2-3 --by thread": "exact", "": "no mark in ",
			"--region raw --format csv": "cpu_ledger_s", "--by region": "loop (3 iterations)"} {
			res := ebb(t, append([]string{"report", path}, strings.Fields(args)...)...)
			if res.code != 0 || !strings.Contains(res.stdout, want) {
				t.Errorf("%s, %q: status %d, no %q in %.2000s%s", kind, args, res.code, want,
					res.stdout, res.stderr)
			}
		}
		for args, want := range map[string]string{"--region none": "no region",
			"--region loop#9": "3 iterations", "--region #3": "names no region",
			"--region loop#x": "iterations are as", "--by region --diff x.json": "does nothing",
			"--by network --region loop": "does nothing"} {
			res := ebb(t, append([]string{"report", path}, strings.Fields(args)...)...)
			if res.code != 2 || !strings.Contains(res.stderr, want) {
				t.Errorf("%s, %q: status %d, %s", kind, args, res.code, res.stderr)
			}
		}
	}
	left, err := filepath.Glob(filepath.Join(os.TempDir(), ".ebb-*", "marks"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestMarkAlone: outside of a run a mark is nothing and no error; a bad one is an error anywhere.
func TestMarkAlone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for args, code := range map[string]int{
		"mark begin x": 0, "mark end x": 0, "mark stop x": 2, "mark begin": 2, "mark begin a#1": 2,
		"mark --to " + file + " begin x": 2, "mark --to /none begin x": 2, "mark begin x y": 2,
	} {
		if res := ebb(t, strings.Fields(args)...); res.code != code || res.stdout != "" ||
			(code == 0) != (res.stderr == "") {
			t.Errorf("%s: status %d, %s%s", args, res.code, res.stdout, res.stderr)
		}
	}
	if b, err := os.ReadFile(file); err != nil || len(b) > 0 {
		t.Errorf("%q is written into a file, %v", b, err)
	}
}
