package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	pprof "github.com/google/pprof/profile"

	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/inventory"
)

var (
	joules  = regexp.MustCompile(`([0-9]+)(\.[0-9]+)? ?([nuµmk]?J)\b`)
	changes = regexp.MustCompile(`([0-9]+)(\.[0-9]+)? ?(%) (more|less) (energy|than)`)
	scale   = map[string]float64{"nJ": 1, "uJ": 1e3, "µJ": 1e3, "mJ": 1e6, "J": 1e9,
		"kJ": 1e12, "%": 1}
)

// printedRun is a rung of the ladder and a way to run.
type printedRun struct {
	name  string
	flags []string
	// attach has ebb govern a process that runs already, cgroup the cgroup that it is in.
	attach, cgroup, joules bool
	view                   string
	long                   bool // make test-all has it
}

// trainedOn makes a model of this machine by a table in which power is a line of busy time, in
// which the program lies inside the trained ranges or outside.
func trainedOn(t *testing.T, switches int) string {
	t.Helper()
	dir := t.TempDir()
	var table strings.Builder
	table.WriteString("watts,program,cpu_user,contexts\n")
	for i := range 200 {
		busy := float64(i%40) * 2.6
		fmt.Fprintf(&table, "%.1f,p%d,%.1f,%d\n", 40+busy+float64(i%7), i%5, busy, (i%9)*switches)
	}
	path, model := filepath.Join(dir, "t.csv"), filepath.Join(dir, "m.ebbmodel")
	if err := os.WriteFile(path, []byte(table.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	res := ebb(t, "model", "train", path, "--power", "watts", "--program", "program", "--learner",
		"ridge", "--cpu-model", inventory.Processor(), "--cpus", strconv.Itoa(inventory.CPUs()),
		"-o", model)
	if res.code != 0 {
		t.Fatalf("status %d: %s", res.code, res.stderr)
	}
	return model
}

// TestPrintedFigures: whatever ebb prints of a run's energy, in the summary, the report's text and
// page, the stream and pprof, is a quantity of the run's JSON within the printed digits; a zone has
// one total; the saving is one; and no two columns of a table say the same. It does so by each rung
// of the ladder and in each mode.
func TestPrintedFigures(t *testing.T) {
	besideOthers(t)
	needRoot(t)
	root, full := bare(t), bare(t)
	set := metered(t, full, 1000)
	stop, stopped := make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		for v := int64(1000); ; v += 12345 {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
				set(v)
			}
		}
	}()
	defer func() { close(stop); <-stopped }()
	for _, run := range []printedRun{
		{name: "none", flags: []string{"--sysfs", root, "--methods"}, view: "method"},
		{name: "none, attached", long: true, attach: true, view: "thread",
			flags: []string{"--sysfs", root, "--threads", "--minimize", "system-energy"}},
		{name: "meter, cgroup", attach: true, cgroup: true, joules: true, view: "thread",
			flags: []string{"--sysfs", full, "--threads"}},
		{name: "meter", long: true, flags: []string{"--sysfs", full, "--methods"}, joules: true,
			view: "method"},
		{name: "table2", long: true, joules: true, view: "method", flags: []string{"--sysfs", root,
			"--methods", "--as-if", "table2", "--minimize", "system-energy"}},
		{name: "meter, attached", long: true, attach: true, joules: true, view: "thread",
			flags: []string{"--sysfs", full, "--threads", "--minimize", "system-energy"}},
		{name: "tdp", long: true, flags: []string{"--sysfs", root, "--threads", "--tdp", "65W"},
			joules: true, view: "thread"},
		{name: "trained", joules: true, view: "method", flags: []string{"--sysfs", root,
			"--methods", "--power-model", trainedOn(t, 1000000)}},
		{name: "not believed", view: "thread", flags: []string{"--sysfs", root, "--threads",
			"--power-model", trainedOn(t, 1)}},
	} {
		t.Run(run.name, func(t *testing.T) {
			if run.long {
				devtest.Long(t)
			}
			printed(t, &run)
		})
	}
}

// printed runs a program and compares all that ebb prints of it.
func printed(t *testing.T, run *printedRun) {
	dir := t.TempDir()
	path, stream := filepath.Join(dir, "r.json"), filepath.Join(dir, "s.jsonl")
	args := append([]string{"run", "-v", "--report", path, "--stream", stream, "--interval",
		"500ms"}, run.flags...)
	recording := filepath.Join(dir, "r.ebb")
	args = append(args, "--record", recording)
	program := workload(t, "split", "1.2") // long enough for percents
	over := func() {}
	if run.attach {
		program = workload(t, "split", "60") // it is killed
		group := ""
		if run.cgroup {
			group = devtest.Cgroup(t)
		}
		child, _ := inCgroup(t, group, program...)
		over = func() { kill(child) } // else it takes both CPUs from whatever reads the report
		args = append(args, "--pid", strconv.Itoa(child.Process.Pid), "--duration", "1200ms")
		if run.cgroup {
			args = append(args[:len(args)-4], "--cgroup", group, "--duration", "1200ms")
		}
	} else {
		args = append(append(args, "--"), program...)
	}
	res := ebb(t, args...)
	over()
	if res.code != 0 {
		t.Fatalf("status %d: %s", res.code, res.stderr)
	}
	r := decoded(t, path)
	var rows []profile.Row
	out := ebb(t, "report", path, "--by", run.view, "--format", "json").stdout
	if err := json.Unmarshal([]byte(out), &rows); err != nil {
		t.Fatal(err)
	}
	_, summary, found := strings.Cut(res.stderr, "(process ")
	if run.cgroup {
		_, summary, found = strings.Cut(res.stderr, ", shadow mode, nothing was written")
	}
	if !found {
		t.Fatalf("no summary in %s", res.stderr)
	}
	texts := map[string]string{
		"summary": summary, // what is before are live rows, of a part of the run
		"report":  ebb(t, "report", path, "--by", run.view).stdout,
		"page":    shown(ebb(t, "report", path, "--by", run.view, "--format", "html").stdout),
		"replay":  ebb(t, "replay", recording).stdout,
	}
	if !strings.Contains(texts["replay"], "actions agree") {
		t.Errorf("the recording: %s", texts["replay"])
	}
	q := quantities(r, rows)
	for name, text := range texts {
		if name != "page" { // whose drawings have parts of what is in the JSON
			explained(t, name, text, q)
		}
		for _, f := range figures(t, text, changes) {
			if c, ok := change(r); !ok || !f.is(c) {
				t.Errorf("%s: %q, and the JSON has %.3f %% (%t)", name, f.text, c, ok)
			}
		}
		if found := joule.FindString(said(text)); found != "" && !run.joules {
			t.Errorf("%s: %q where there are no joules", name, found)
		}
	}
	oneLabel(t, r, texts)
	texts["csv"] = ebb(t, "report", path, "--by", run.view, "--format", "csv").stdout
	oneOwnTime(t, r, texts)
	if n := strings.Count(unbroken(res.stderr), report.OnlyTime); n > 1 {
		t.Errorf("the run says %d times that there are no joules", n)
	}
	alikeColumns(t, texts["report"])
	streamed(t, stream, r)
	if run.view == "method" {
		sampled(t, path, r, rows)
	}
	if t.Failed() {
		t.Logf("%s\n%s", summary, texts["report"])
	}
}

// explained fails for each figure of energy that is none of the quantities.
func explained(t *testing.T, name, text string, q map[string]float64) {
	t.Helper()
	for _, f := range figures(t, text, joules) {
		found := f.low <= 0
		for _, v := range q {
			found = found || f.is(v)
		}
		if !found {
			t.Errorf("%s: nothing in the JSON is %q: %v", name, f.text, q)
		}
	}
}

// change is what the run used more or less than at the highest clock, in percent.
func change(r *report.Report) (percent float64, ok bool) {
	used, highest := 0.0, 0.0
	for i := range r.Energy {
		if z := &r.Energy[i]; z.MaxFreqNJ > 0 { // in shadow mode a meter saw one clock
			used += float64(z.EnergyNJ)
			highest += float64(z.MaxFreqNJ)
		}
	}
	return 100 * math.Abs(used/highest-1), highest > 0
}

// oneLabel compares the totals that each text has for a zone and its source.
func oneLabel(t *testing.T, r *report.Report, texts map[string]string) {
	t.Helper()
	if r.Attribution == nil || !r.Attribution.Joules() {
		return
	}
	for i := range r.Attribution.Zones {
		z := &r.Attribution.Zones[i]
		line := regexp.MustCompile(`(?m)^ *` + regexp.QuoteMeta(z.Name) + `:? +.*$`)
		for name, text := range texts {
			for _, l := range line.FindAllString(text, -1) {
				f := figures(t, l, joules)
				if len(f) == 0 || !strings.Contains(l, string(z.Source)) {
					continue
				}
				if !f[0].is(float64(z.TotalNJ)) && !f[0].is(float64(usedBy(r, z.Name))) {
					t.Errorf("%s: %q, and %s has %d nJ", name, l, z.Name, z.TotalNJ)
				}
			}
		}
	}
}

// ownTimes are the places of ebb's own CPU time beside the program: in the summary, in a table of
// text or a page, and in one of commas.
var ownTimes = map[string]*regexp.Regexp{
	"summary": regexp.MustCompile(`of CPU time to start, then ([0-9.]+ (?:ns|µs|ms|s))\b`),
	"report":  regexp.MustCompile(`(?m)^\(ebb itself\).* ([0-9.]+ s)\b`),
	"page":    regexp.MustCompile(`\(ebb itself\).* ([0-9.]+ s)\b`),
	"csv":     regexp.MustCompile(`(?m)^,\(ebb itself\),[^\n]*?,([0-9]+\.[0-9]{6,}),`),
}

// oneOwnTime compares ebb's own CPU time in each text with the JSON's, whose parts add up.
func oneOwnTime(t *testing.T, r *report.Report, texts map[string]string) {
	t.Helper()
	a := r.Attribution
	if a == nil || a.OwnCPUNS != r.OwnCPUNS || r.OwnStartCPUNS+a.OwnRunNS > r.OwnCPUNS {
		t.Errorf("ebb used %d ns, %d of it to start; by the attribution %d, %d", r.OwnCPUNS,
			r.OwnStartCPUNS, a.OwnCPUNS, a.OwnRunNS)
		return
	}
	for name, by := range ownTimes {
		text := texts[name]
		if name == "summary" {
			text = unbroken(text)
		}
		m := by.FindStringSubmatch(text)
		if m == nil {
			t.Errorf("%s: ebb's own time is not there:\n%s", name, texts[name])
			continue
		}
		amount := strings.ReplaceAll(m[1], " ", "")
		if name == "csv" {
			amount += "s"
		}
		d, err := time.ParseDuration(amount)
		room := max(time.Duration(a.OwnRunNS)/100, time.Millisecond)
		if off := d - time.Duration(a.OwnRunNS); err != nil || off.Abs() > room {
			t.Errorf("%s: %q, and the JSON has %v (%v)", name, m[0], time.Duration(a.OwnRunNS), err)
		}
	}
}

func usedBy(r *report.Report, zone string) (nJ int64) {
	for i := range r.Energy {
		if r.Energy[i].Zone == zone {
			nJ = r.Energy[i].EnergyNJ
		}
	}
	return nJ
}

// alikeColumns fails where two columns of shares are the same in every row.
func alikeColumns(t *testing.T, text string) {
	t.Helper()
	share := regexp.MustCompile(`(?m)^.* ([0-9.]+%) .* ([0-9.]+%) .*$`)
	_, table, _ := strings.Cut(text, "\nunit ")
	rows := share.FindAllStringSubmatch(table, -1)
	alike := 0
	for _, m := range rows {
		if m[1] == m[2] {
			alike++
		}
	}
	if len(rows) > 0 && alike == len(rows) {
		t.Errorf("two columns say the same:\n%s", table)
	}
}

// streamed compares the stream's last line with the report.
func streamed(t *testing.T, path string, r *report.Report) {
	t.Helper()
	lines := streamOf(t, path)
	if len(lines) == 0 || r.Attribution == nil {
		t.Error("no stream, or no attribution")
		return
	}
	last := lines[len(lines)-1]
	if last.Source == string(energy.Trained) && !r.Attribution.Joules() {
		return // only at the end it shows that the model is not believed
	}
	var total, target int64
	for i := range r.Attribution.Zones {
		total += r.Attribution.Zones[i].TotalNJ
		target += r.Attribution.Zones[i].Attr[0]
	}
	if last.TotalNJ != total || last.TargetNJ != target ||
		last.Source != string(r.Attribution.Zones[0].Source) {
		t.Errorf("the stream has %d of %d nJ by %s, the report %d of %d by %s", last.TargetNJ,
			last.TotalNJ, last.Source, target, total, r.Attribution.Zones[0].Source)
	}
}

// sampled compares pprof's sum with what is attributed to threads that were sampled.
func sampled(t *testing.T, path string, r *report.Report, rows []profile.Row) {
	t.Helper()
	text := ebb(t, "report", path, "--format", "pprof").stdout
	p, err := pprof.Parse(bytes.NewReader([]byte(text)))
	if err != nil {
		t.Fatal(err)
	}
	want := 0.0
	for i := range rows {
		if !strings.HasPrefix(rows[i].Unit, "[never sampled]") {
			want += float64(rows[i].Energy)
		}
	}
	for i, kind := range p.SampleType {
		if kind.Type != "energy" {
			continue
		}
		if !r.Attribution.Joules() {
			t.Error("pprof has energy where there are no joules")
		}
		sum := 0.0
		for _, s := range p.Sample {
			sum += float64(s.Value[i])
		}
		sum *= scale[kind.Unit]
		if math.Abs(sum-want) > 1e-3*want {
			t.Errorf("pprof adds up to %.0f nJ, and %.0f nJ are attributed", sum, want)
		}
	}
}
