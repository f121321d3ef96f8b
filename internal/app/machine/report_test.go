package machine

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/energy/groups"
	"github.com/ebb-energy/ebb/internal/power/wattmeter"
	"github.com/ebb-energy/ebb/units"
)

// exampleOf is a report of three windows: an idle one, one with a job, a pod and a hostile name,
// and one in which the machine slept.
func exampleOf(t *testing.T, share groups.Share) *Report {
	t.Helper()
	m := &meters{taken: wattmeter.Meter, doubt: make([]string, 3),
		rungs: []wattmeter.Rung{{Name: wattmeter.Meter, Usable: true,
			Detail: "package-0, dram-0, cores-0"}}}
	for _, name := range []string{"package-0", "cores-0", "dram-0"} {
		m.zones = append(m.zones, energy.Zone{Name: name, CPUs: []energy.CPU{0},
			Source: energy.Measured})
	}
	a := groups.New(m.zones, share)
	use := func(kind, name string, ms time.Duration) groups.Use {
		return groups.Use{Group: groups.Name{Kind: kind, Name: name},
			Time: []time.Duration{ms * time.Millisecond}, Reserved: 1}
	}
	for _, w := range []groups.Window{
		{From: 1, To: 1e9 + 1, Used: []units.Energy{10e9, 4e9, 1e9}, Idle: []time.Duration{2e9},
			Others: []time.Duration{0}},
		{From: 1e9 + 1, To: 2e9 + 1, Used: []units.Energy{52e9, 30e9, 3e9},
			Idle: []time.Duration{900e6}, Others: []time.Duration{100e6},
			Groups: []groups.Use{use("job", "123.0", 600), use("unit", "ssh.service", 50),
				use("pod", "74c13223-5a00-11e9-b385-42010a80018d/9ec39b91f3d7", 250),
				use("other", `/a\x0a"b"\`, 100)}},
		{From: 2e9 + 1, To: 3e9 + 1, Used: []units.Energy{5e9, 1e9, 0}, Blind: []bool{true, true,
			true}, Idle: []time.Duration{2e9}, Others: []time.Duration{0}},
	} {
		if err := a.Book(&w); err != nil {
			t.Fatal(err)
		}
	}
	r := reported(a, m, 3*time.Second)
	r.Date, r.Hierarchy, r.ShareIdle = "", "v2", string(share)
	return r
}

// unmeter takes the joules off.
func (r *Report) unmeter() {
	r.Zones = nil
	for i := range r.Groups {
		r.Groups[i].Energy = nil
	}
}

func TestTable(t *testing.T) {
	var text bytes.Buffer
	for _, share := range []groups.Share{groups.NoShare, groups.Equal} {
		if err := exampleOf(t, share).Write(&text, 3, 80); err != nil {
			t.Fatal(err)
		}
		text.WriteString("\n")
	}
	r := exampleOf(t, groups.NoShare)
	r.unmeter()
	r.Power, r.LowW, r.HighW, r.Refused = "spec table", 10, 40, 7
	if err := r.Write(&text, 0, 80); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(text.String()) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	devtest.Golden(t, "testdata/table.txt", text.Bytes())
}

func TestExposition(t *testing.T) {
	var text bytes.Buffer
	if err := exampleOf(t, groups.Equal).exposition(&text); err != nil {
		t.Fatal(err)
	}
	devtest.Golden(t, "testdata/metrics.txt", text.Bytes())
	var none bytes.Buffer
	r := exampleOf(t, groups.NoShare)
	r.unmeter()
	if err := r.exposition(&none); err != nil || strings.Contains(none.String(), "joules") {
		t.Errorf("joules without a meter, %v: %s", err, none.String())
	}
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not installed: the format is compared with the golden file alone")
	}
	for _, x := range []*bytes.Buffer{&text, &none} {
		cmd := exec.Command(promtool, "check", "metrics")
		cmd.Stdin = x
		cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("promtool: %v: %s", err, out)
		}
	}
}
