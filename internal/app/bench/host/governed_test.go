package host

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/app/bench"
	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/units"
)

// fakeEbb is a program that takes ebb's arguments, writes them down, and leaves the given report.
func fakeEbb(t *testing.T, rep *report.Report) (argv []string, args string) {
	t.Helper()
	dir := t.TempDir()
	data, err := json.Marshal(rep)
	if err != nil {
		t.Fatal(err)
	}
	given, args := filepath.Join(dir, "report"), filepath.Join(dir, "args")
	if err := os.WriteFile(given, data, 0o644); err != nil {
		t.Fatal(err)
	}
	script := `echo "$@" >` + args + `; while [ "$1" != --report ]; do shift; done; cp ` + given +
		` "$2"`
	return []string{"sh", "-c", script, "ebb"}, args
}

func governedReport() *report.Report {
	return &report.Report{
		WallNS: 2_000_000_000, Actuator: "setspeed", OwnCPUNS: 1, ProfiledNS: 1_000_000_000,
		Energy: []report.Energy{
			{Zone: "cpu", Source: report.Modelled, EnergyNJ: 7e9, ProfiledNS: 1_000_000_000},
			{Zone: "dram", Source: report.Modelled, EnergyNJ: 1e9, ProfiledNS: 1_000_000_000},
			{Zone: "package-0", Kind: "package", Source: report.Measured, EnergyNJ: 20e9},
			{Zone: "package-1", Kind: "package", Source: report.Measured, EnergyNJ: 10e9},
			{Zone: "cores-0", Kind: "cores", Source: report.Measured, EnergyNJ: 15e9},
			{Zone: "dram-0", Kind: "dram", Source: report.Measured, EnergyNJ: 3e9},
			{Zone: "psys", Kind: "psys", Source: report.Measured, EnergyNJ: 99e9},
		},
	}
}

func TestEbbGovernsARun(t *testing.T) {
	argv, args := fakeEbb(t, governedReport())
	b := lay(t, devtest.Desktop, "exit 0",
		func(c *Config) { c.Ebb, c.EbbFlags = argv, []string{"--config", "file"} }, nil)
	for s, want := range map[bench.Setting]string{
		{Kind: bench.Slowdown, Slowdown: 0.05}: "--slowdown 5%",
		{Kind: bench.SystemEnergy}:             "--minimize system-energy",
	} {
		m, err := b.Run(t.Context(), s, 1)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(args)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range []string{"run --quiet --report ", "--run-dir " + b.runDir, want,
			"--config file -- sh -c"} {
			if !strings.Contains(string(got), w) {
				t.Errorf("%s: arguments %q have no %q", s, got, w)
			}
		}
		// Half of the time was profiled, so the model saw half of the energy.
		p, _ := m.Energy(bench.Processor)
		if all, ok := m.Energy(); m.Wall != 2*time.Second || m.Source != bench.Reference || !ok ||
			p != 14e9 || all != 16e9 {
			t.Errorf("%s: %+v", s, m)
		}
	}
}

func TestMeasuredReport(t *testing.T) {
	m, err := measurement(governedReport(), time.Second, bench.Measured)
	if err != nil {
		t.Fatal(err)
	}
	// Both packages, and the memory; the cores are in their package and the platform has all in it.
	p, _ := m.Energy(bench.Processor)
	if all, ok := m.Energy(); !ok || p != 30e9 || all != units.Energy(33e9) ||
		m.Source != bench.Measured {
		t.Errorf("%+v", m)
	}
	for name, change := range map[string]func(*report.Report){
		"a meter that stood still": func(r *report.Report) { r.Energy[2].Frozen = true },
		"a meter that was reset":   func(r *report.Report) { r.Energy[5].Resets = 1 },
		"a meter that failed": func(r *report.Report) {
			r.Energy[2].Problem = "input/output error"
		},
		"no time":     func(r *report.Report) { r.WallNS = 0 },
		"shadow mode": func(r *report.Report) { r.Actuator = "shadow" },
	} {
		r := governedReport()
		change(r)
		if m, err := measurement(r, time.Second, bench.Measured); err == nil {
			t.Errorf("%s: %+v", name, m)
		}
	}
	r := governedReport()
	r.Energy = r.Energy[:2]
	if m, err := measurement(r, time.Second, bench.Measured); err != nil ||
		m.Source != bench.Unknown || m.Trouble == "" {
		t.Errorf("modelled energy where others are measured: %+v, %v", m, err)
	}
	r.LostRecords, r.Refusals = 3, []string{"policy0 refused"}
	if m, err := measurement(r, time.Second, bench.Modelled); err != nil ||
		m.Trouble != "policy0 refused; 3 records lost" {
		t.Errorf("trouble %q (%v)", m.Trouble, err)
	}
}

// TestPlatformPower: the stated power of everything else is in each total once, by a meter as by
// the model, whatever model ebb's report has.
func TestPlatformPower(t *testing.T) {
	var r Runner
	r.Power.Platform = 200
	for _, source := range []bench.Source{bench.Measured, bench.Modelled, bench.Unknown} {
		m := bench.Measurement{Wall: 2 * time.Second, Source: source,
			Zones: []bench.Zone{{Name: bench.Processor, Energy: 30e9}}}
		r.withPlatform(&m)
		want := units.Energy(30e9)
		if source == bench.Measured {
			want = 430e9
		}
		if got, _ := m.Energy(); got != want && source != bench.Unknown {
			t.Errorf("%s: %v, want %v", source, got, want)
		}
	}
	rep := governedReport()
	for i := range rep.Energy {
		if rep.Energy[i].Source == report.Modelled {
			rep.Energy[i].Source = report.Reference
		}
	}
	m, err := measurement(rep, time.Second, bench.Reference)
	if got, ok := m.Energy(); err != nil || !ok || got != 16e9 {
		t.Errorf("a reference processor's: %v (%v)", got, err)
	}
}

func TestEbbThatFails(t *testing.T) {
	b := lay(t, devtest.Desktop, "exit 0", func(c *Config) {
		c.Ebb = []string{"sh", "-c", "echo 'ebb: loading BPF programs needs root' >&2; exit 1"}
	}, nil)
	_, err := b.Run(t.Context(), bench.Setting{Kind: bench.Slowdown, Slowdown: 0.05}, 1)
	if !errors.Is(err, errCommand) || !strings.Contains(err.Error(), "needs root") {
		t.Errorf("%v", err)
	}
	b.asFound(t)
	b.Ebb = []string{"true"}
	if _, err := b.Run(t.Context(), bench.Setting{Kind: bench.Slowdown, Slowdown: 0.05},
		1); err == nil || !strings.Contains(err.Error(), "report") {
		t.Errorf("no report: %v", err)
	}
}
