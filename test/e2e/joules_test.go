package e2e

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	pprof "github.com/google/pprof/profile"

	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/energy/profile"
)

// joule is an energy or a power as ebb prints them.
var joule = regexp.MustCompile(`(?i)\b[0-9.]+ ?([nuµmkM]?J|[nuµmk]?W)\b|_j\b|power_w|\bwatts\b`)

// bare lays a tree of a machine with CPUs and nothing else: no meter, no clock.
func bare(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	cpu := filepath.Join(root, "devices/system/cpu")
	if err := os.MkdirAll(filepath.Join(cpu, "cpufreq"), 0o755); err != nil {
		t.Fatal(err)
	}
	online, err := os.ReadFile("/sys/devices/system/cpu/online")
	if err == nil {
		err = os.WriteFile(filepath.Join(cpu, "online"), online, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// metered adds a package's meter that shows so much energy, in uJ.
func metered(t *testing.T, root string, energy int64) (set func(int64)) {
	t.Helper()
	dir := filepath.Join(root, "class/powercap/intel-rapl:0")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{"name": "package-0",
		"max_energy_range_uj": "262143328850"} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	set = func(v int64) {
		f, err := os.OpenFile(filepath.Join(dir, "energy_uj"), os.O_WRONLY|os.O_CREATE, 0o644)
		if err == nil {
			_, err = fmt.Fprintf(f, "%015d\n", v) // in place: a reader never finds half of it
		}
		if err != nil {
			t.Error(err)
			return
		}
		f.Close()
	}
	set(energy)
	return set
}

// spinning is a program that a shell computes in one function.
func spinning(t *testing.T) []string { return workload(t, "split", "0.3") }

// said is the text of a report for a person, without what the ladder says of the whole machine: the
// row "power", which goes on below itself.
func said(text string) string {
	var out []string
	power := false
	for line := range strings.Lines(text) {
		power = strings.HasPrefix(strings.TrimLeft(line, " "), "power  ") ||
			power && strings.HasPrefix(line, strings.Repeat(" ", 10))
		if !power && !strings.Contains(line, "idle to full") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "")
}

// texts are all that ebb report prints of a report, by name.
func texts(t *testing.T, path string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, args := range []string{"", "--by thread", "--by class", "--rule all", "--format csv",
		"--format speedscope", "--format html"} {
		res := ebb(t, append([]string{"report", path}, strings.Fields(args)...)...)
		if res.code != 0 {
			t.Fatalf("report %s: status %d, %s", args, res.code, res.stderr)
		}
		out[args] = res.stdout
	}
	return out
}

// script is what a browser runs and does not show.
var script = regexp.MustCompile(`(?s)<script.*?</script>|<style.*?</style>|<svg.*?</svg>`)

// tag is one of a page's.
var tag = regexp.MustCompile(`<[^>]*>`)

// shown is a page's text, a row of a table in a line.
func shown(page string) string {
	page = strings.ReplaceAll(script.ReplaceAllString(page, ""), "\n", " ")
	page = strings.NewReplacer("</tr>", "\n", "</p>", "\n", "<br>", "\n", "</td>",
		"  ").Replace(page)
	return html.UnescapeString(tag.ReplaceAllString(page, ""))
}

// TestNoJoules: on a machine without a meter and without a model of it, nothing that ebb prints has
// a joule or a watt, and all of it says the same shares.
func TestNoJoules(t *testing.T) {
	besideOthers(t)
	needRoot(t)
	path := filepath.Join(t.TempDir(), "r.json")
	res := ebb(t, append([]string{"run", "-v", "--sysfs", bare(t), "--methods", "--report", path,
		"--"},
		spinning(t)...)...)
	if res.code != 0 {
		t.Fatalf("status %d: %s", res.code, res.stderr)
	}
	const sentence = "no joules here, shares are of CPU time; a meter or a model of this machine " +
		"(ebb train)"
	all := texts(t, path)
	all["summary"], all["--format html"] = res.stderr, shown(all["--format html"])
	for name, text := range all {
		if found := joule.FindAllString(said(text), 3); found != nil {
			t.Errorf("%s has %q:\n%s", name, found, text)
		}
		n := strings.Count(unbroken(text), sentence)
		if once := name == "summary" || name == "" || name == "--format html"; once && n != 1 {
			t.Errorf("%s says %d times that there are no joules:\n%s", name, n, text)
		}
	}
	r := decoded(t, path)
	if r.Schema != 2 || r.Attribution == nil {
		t.Fatalf("schema %d", r.Schema)
	}
	for _, z := range r.Energy {
		if z.Source != report.Reference {
			t.Errorf("energy of %s by %s", z.Zone, z.Source)
		}
	}
	var busy int64
	for i := range r.Attribution.Threads {
		busy += r.Attribution.Threads[i].RunNS
	}
	z := r.Attribution.Zones[0]
	if len(r.Attribution.Zones) != 1 || z.Source != "CPU time" || z.TotalNJ != z.Attr[0] ||
		z.TotalNJ < busy*99/100 || z.TotalNJ > busy*101/100 {
		t.Errorf("%d ns of CPU time, zones %+v", busy, r.Attribution.Zones)
	}
	shares(t, path, all)
	if got := sampleTypes(t, path); strings.Contains(got, "energy") {
		t.Errorf("pprof has %s", got)
	}
}

// shares compares the shares of the text, the page and the table with those of the JSON.
func shares(t *testing.T, path string, all map[string]string) {
	t.Helper()
	var rows []profile.Row
	res := ebb(t, "report", path, "--format", "json")
	if err := json.Unmarshal([]byte(res.stdout), &rows); err != nil || len(rows) == 0 {
		t.Fatalf("%v: %s%s", err, res.stdout, res.stderr)
	}
	table, err := csv.NewReader(strings.NewReader(all["--format csv"])).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows[:min(len(rows), 10)] {
		row := &rows[i]
		name := regexp.QuoteMeta(row.Unit)
		text := fmt.Sprintf(`(?m)^%s +%.1f%% .* %.3f s `, name, 100*row.Share,
			float64(row.TimeNS)/1e9)
		page := fmt.Sprintf(`(?m) %s  %.1f %% .* %.3f s `, name, 100*row.Share,
			float64(row.TimeNS)/1e9)
		if !regexp.MustCompile(text).MatchString(all[""]) {
			t.Errorf("the text has no %q:\n%s", text, all[""])
		}
		// The page has one row for all of one sample.
		if row.Samples != 1 && !regexp.MustCompile(page).MatchString(all["--format html"]) {
			t.Errorf("the page has no %q:\n%s", page, all["--format html"])
		}
		if got := table[i+1]; got[1] != row.Unit || !strings.HasPrefix(got[2],
			fmt.Sprintf("%.3g", row.Share)[:1]) {
			t.Errorf("the table has %q for %+v", got, row)
		}
		if d := float64(row.Energy-row.TimeNS) / float64(row.TimeNS+1); d < -0.01 || d > 0.01 {
			t.Errorf("%s: %d ns attributed, %d ns of CPU time", row.Unit, row.Energy, row.TimeNS)
		}
	}
}

// sampleTypes are the types of a report's pprof.
func sampleTypes(t *testing.T, path string) string {
	t.Helper()
	p, err := pprof.ParseData([]byte(ebb(t, "report", path, "--format", "pprof").stdout))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, s := range p.SampleType {
		all = append(all, s.Type+"/"+s.Unit)
	}
	return strings.Join(all, " ")
}

// decoded reads a report as ebb does.
func decoded(t *testing.T, path string) *report.Report {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := report.Decode(bytes.TrimSpace(b))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestOneTotal: with a meter, the summary, the report, the page and both parts of the JSON have one
// total of the package; with a model that the user names, of the processor.
func TestOneTotal(t *testing.T) {
	besideOthers(t)
	needRoot(t)
	t.Run("meter", func(t *testing.T) {
		root := bare(t)
		set := metered(t, root, 1000)
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
		total := oneTotal(t, "package-0", "measured", "--sysfs", root)
		close(stop)
		<-stopped
		if !strings.Contains(total.summary, "package-0: "+total.printed+",") {
			t.Errorf("the summary has no %s:\n%s", total.printed, total.summary)
		}
	})
	t.Run("named", func(t *testing.T) {
		total := oneTotal(t, "cpu", "modelled", "--sysfs", bare(t), "--as-if", "table2")
		if !strings.Contains(total.summary, "(modelled: table2; not measured)") {
			t.Errorf("the summary does not name the model:\n%s", total.summary)
		}
	})
}

// total is a zone's total as it is printed.
type total struct{ printed, summary string }

// oneTotal runs a program and compares what the report, the page and the JSON have for a zone.
func oneTotal(t *testing.T, zone, source string, flags ...string) total {
	t.Helper()
	path := filepath.Join(t.TempDir(), "r.json")
	args := append(append([]string{"run", "-v", "--methods", "--report", path}, flags...), "--")
	res := ebb(t, append(args, spinning(t)...)...)
	if res.code != 0 {
		t.Fatalf("status %d: %s", res.code, res.stderr)
	}
	r := decoded(t, path)
	var used, divided int64
	for _, z := range r.Energy {
		if z.Zone == zone && z.Source == source {
			// In shadow mode a model's own figure is of the clocks that ebb would have set, and the
			// program ran at the highest.
			if used = z.EnergyNJ; source == report.Modelled {
				used = z.MaxFreqNJ
			}
		}
	}
	for _, z := range r.Attribution.Zones {
		if z.Name == zone && z.Source == source {
			divided = z.TotalNJ
		}
	}
	if used <= 0 || used != divided {
		t.Errorf("%s used %d nJ, and %d nJ are divided: %+v", zone, used, divided, r.Energy)
	}
	all := texts(t, path)
	line := regexp.MustCompile(`(?m)^` + zone + ` +(\S+ \S+) ` + source).FindStringSubmatch(all[""])
	if line == nil {
		t.Fatalf("the report has no %s:\n%s", zone, all[""])
	}
	page := regexp.MustCompile(` ` + zone + ` +` + source + `.*? +` + regexp.QuoteMeta(line[1]) + ` `)
	if text := shown(all["--format html"]); !page.MatchString(text) {
		t.Errorf("the page has no %s for %s:\n%s", line[1], zone, text)
	}
	if got := sampleTypes(t, path); !strings.Contains(got, "energy/") {
		t.Errorf("pprof has %s", got)
	}
	return total{line[1], unbroken(res.stderr)}
}
