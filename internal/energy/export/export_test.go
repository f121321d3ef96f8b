package export

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	pprof "github.com/google/pprof/profile"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/energy/profile"
)

// sample is a small profile made by hand.
func sample(t *testing.T) *profile.Profile {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "profile.json"))
	if err != nil {
		t.Fatal(err)
	}
	var p profile.Profile
	if err := json.Unmarshal(b, &p); err != nil {
		t.Fatal(err)
	}
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	for i := range p.Stacks { // enough for formats in uJ
		for j := range p.Stacks[i].EnergyNJ {
			p.Stacks[i].EnergyNJ[j] *= 1000
		}
	}
	return &p
}

func rows(t *testing.T, p *profile.Profile) []profile.Row {
	t.Helper()
	v, err := profile.NewView(p, "method", nil)
	if err != nil {
		t.Fatal(err)
	}
	return p.Rows(v, 0)
}

// TestGolden compares each text format with a file that was checked by hand.
func TestGolden(t *testing.T) {
	p := sample(t)
	for name, write := range map[string]func(*bytes.Buffer) error{
		"folded.txt":      func(b *bytes.Buffer) error { return Folded(b, p, 0) },
		"rows.csv":        func(b *bytes.Buffer) error { return CSV(b, p, rows(t, p), 0) },
		"speedscope.json": func(b *bytes.Buffer) error { return Speedscope(b, p, 0) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		devtest.Golden(t, filepath.Join("testdata", name), b.Bytes())
	}
}

// TestPProf reads the written profile back with pprof's own reader.
func TestPProf(t *testing.T) {
	p := sample(t)
	var b bytes.Buffer
	if err := PProf(&b, p, 0); err != nil {
		t.Fatal(err)
	}
	got, err := pprof.Parse(&b)
	if err != nil {
		t.Fatal(err)
	}
	if got.DefaultSampleType != "energy" || len(got.SampleType) != 3 ||
		got.SampleType[2].Unit != "nJ" || got.DurationNanos != 2e9 {
		t.Errorf("%+v", got)
	}
	var nj, samples int64
	for _, s := range got.Sample {
		samples += s.Value[0]
		nj += s.Value[2]
	}
	// without the 50 of the thread that was never sampled
	if nj != 1_550_000 || samples != 12 || len(got.Sample) != 5 {
		t.Errorf("%d nJ, %d samples, %d stacks", nj, samples, len(got.Sample))
	}
	if name := got.Sample[0].Location[0].Line[0].Function.Name; name != "java.util.HashMap.get" {
		t.Errorf("the innermost frame is %q", name)
	}
	if l := got.Sample[3].Label["phase"]; len(l) != 1 || l[0] != "gc" {
		t.Errorf("phase %q", l)
	}
	if c := strings.Join(got.Comments, "\n"); !strings.Contains(c,
		"package-0: measured, 2000 nJ in all") || !strings.Contains(c, "never sampled") {
		t.Errorf("comments:\n%s", c)
	}
}

// TestPProfPeriod: where sampling gave way, the samples times the period are their CPU time.
func TestPProfPeriod(t *testing.T) {
	p := sample(t)
	p.RateHz = 100
	for i := range p.Stacks {
		p.Stacks[i].CPUNS = int64(p.Stacks[i].Samples) * 40e6
	}
	for least, want := range map[int]int64{0: 10e6, 25: 40e6} {
		p.LeastRateHz = least
		var b bytes.Buffer
		if err := PProf(&b, p, 0); err != nil {
			t.Fatal(err)
		}
		got, err := pprof.Parse(&b)
		if err != nil {
			t.Fatal(err)
		}
		if got.Period != want {
			t.Errorf("least rate %d: a period of %d ns, want %d", least, got.Period, want)
		}
	}
}

// TestHostileNames: names with what formats are made of neither break them nor run.
func TestHostileNames(t *testing.T) {
	p := sample(t)
	const evil = "</script><script>alert(1)</script>;\n\"x\" 7"
	p.Frames[0].Name, p.Threads[0].Comm = evil, evil
	v := rows(t, p)
	var b bytes.Buffer
	if err := HTML(&b, hostileRun(evil), p, v, 0); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "<script>alert") || strings.Count(b.String(), "<script") != 2 {
		t.Error("a name became a script")
	}
	b.Reset()
	if err := Folded(&b, p, 0); err != nil {
		t.Fatal(err)
	}
	for l := range strings.Lines(b.String()) {
		if !regexp.MustCompile(`^.* \d+\n$`).MatchString(l) {
			t.Errorf("folded: %q", l)
		}
	}
	b.Reset()
	if err := CSV(&b, p, v, 0); err != nil {
		t.Fatal(err)
	}
	if all, err := csv.NewReader(&b).ReadAll(); err != nil || len(all) != len(v)+1 {
		t.Errorf("CSV: %d records, %v", len(all), err)
	}
	b.Reset()
	if err := Speedscope(&b, p, 0); err != nil || !json.Valid(b.Bytes()) {
		t.Errorf("speedscope: %v, %s", err, b.Bytes())
	}
	b.Reset()
	if err := PProf(&b, p, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := pprof.Parse(&b); err != nil {
		t.Error(err)
	}
}

// TestTree: a node's energy is that of its children and its own stacks, whatever is too small to be
// drawn.
func TestTree(t *testing.T) {
	p := sample(t)
	root := grow(p, 0)
	if root.UJ != 1600 || root.Samples != 12 {
		t.Errorf("%+v", root)
	}
	var walk func(n *node)
	walk = func(n *node) {
		var sum int64
		for _, c := range n.Children {
			sum += c.UJ
			walk(c)
		}
		if sum > n.UJ {
			t.Errorf("%s: %d uJ, its children %d", n.Name, n.UJ, sum)
		}
	}
	walk(root)
	if len(root.Children) != 3 || root.Children[0].Name != "[gc]" {
		t.Errorf("%+v", root.Children)
	}
}

type full struct{}

var errFull = errors.New("disk full")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriteErrors(t *testing.T) {
	p := sample(t)
	for name, err := range map[string]error{
		"folded": Folded(full{}, p, 0), "csv": CSV(full{}, p,
			rows(t, p), 0), "speedscope": Speedscope(full{}, p, 0),
		"pprof": PProf(full{}, p, 0), "html": HTML(full{}, &Run{}, p, nil, 0),
	} {
		if !errors.Is(err, errFull) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
