package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/policy"
	"github.com/ebb-energy/ebb/units"
)

func decode(text string) (Config, error) { return Decode(strings.NewReader(text), "my.toml") }

// TestSampleStatesEveryDefault: the documented file states every default.
func TestSampleStatesEveryDefault(t *testing.T) {
	c, err := Load("ebb.toml")
	if err != nil {
		t.Fatal(err)
	}
	if c != Default() {
		t.Errorf("ebb.toml gives %+v, defaults are %+v", c, Default())
	}
	text, err := os.ReadFile("ebb.toml")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range c.keys() {
		name := k.name[strings.LastIndexByte(k.name, '.')+1:]
		if n := strings.Count("\n"+string(text), "\n"+name+" = "); n != 1 {
			t.Errorf("ebb.toml has %q %d times, want once", k.name, n)
		}
	}
}

func TestDefaultIsValid(t *testing.T) {
	c := Default()
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
	if got, err := decode(""); err != nil || got != c {
		t.Errorf("an empty file gives %+v, %v", got, err)
	}
}

// TestEveryKeySetsItsField sets each key to another value than its default and checks the field.
func TestEveryKeySetsItsField(t *testing.T) {
	for _, tc := range []struct {
		text string
		want func(*Config) bool
	}{
		{`slowdown = "10%"`, func(c *Config) bool { return c.Slowdown == 0.1 }},
		{`minimize = "system-energy"`,
			func(c *Config) bool { return c.Minimize == MinimizeSystemEnergy }},
		{"minimize = \"system-energy\"\nrule = \"six-steps\"",
			func(c *Config) bool { return c.Rule == string(policy.SixSteps) }},
		{`frequency = "2.4GHz"`, func(c *Config) bool { return c.Frequency == 2_400_000_000 }},
		{`states = "1GHz..4GHz/500MHz"`,
			func(c *Config) bool { return c.States == Steps{1e9, 4e9, 5e8} }},
		{`quantum = "20ms"`, func(c *Config) bool { return c.Quantum == 20*time.Millisecond }},
		{`hold_off = 5`, func(c *Config) bool { return c.HoldOff == 5 }},
		{`settle = "1ms"`, func(c *Config) bool { return c.Settle == time.Millisecond }},
		{`rule = "even"`, func(c *Config) bool { return c.Rule == "even" }},
		{`margin = "error-bar"`, func(c *Config) bool {
			return c.Margin.ErrorBar &&
				c.Margin.Share == 0
		}},
		{`margin = "7%"`, func(c *Config) bool { return c.Margin.Share == 0.07 }},
		{`carry_max = "50ms"`, func(c *Config) bool { return c.CarryMax == 50*time.Millisecond }},
		{`shadow = true`, func(c *Config) bool { return c.Shadow }},
		{`model = "dep"`, func(c *Config) bool { return c.Model == "dep" }},
		{`estimator = "stall"`, func(c *Config) bool { return c.Estimator == "stall" }},
		{`ctp = "per-epoch"`, func(c *Config) bool { return c.CTP == "per-epoch" }},
		{`ring_bytes = 16777216`, func(c *Config) bool { return c.RingBytes == 16<<20 }},
		{`report = "r.json"`, func(c *Config) bool { return c.Report == "r.json" }},
		{"[power]\nvolts_per_ghz = 0.2",
			func(c *Config) bool { return c.Power.VoltsPerGHz == 0.2 }},
		{"[power]\nvolts_at_zero = 1", func(c *Config) bool { return c.Power.VoltsAtZero == 1 }},
		{"[power]\nreference = \"3GHz\"", func(c *Config) bool { return c.Power.Reference == 3e9 }},
		{"[power]\nstatic = \"5W\"", func(c *Config) bool { return c.Power.Static == 5 }},
		{"[power]\ncore = \"500mW\"", func(c *Config) bool { return c.Power.Core == 0.5 }},
		{"[power]\nfull_load = \"84W\"", func(c *Config) bool { return c.Power.FullLoad == 84 }},
		{"[power]\ndram_static = \"3W\"", func(c *Config) bool { return c.Power.DRAMStatic == 3 }},
		{"[power]\ndram_access = \"15nJ\"",
			func(c *Config) bool { return c.Power.DRAMAccess == 15 }},
		{"[power]\nplatform = \"20W\"", func(c *Config) bool { return c.Power.Platform == 20 }},
		{"[network]\ncard_power = \"1.1W\"", func(c *Config) bool { return c.CardPower == 1.1 }},
		{"[metrics]\nlisten = \"[::1]:9323\"",
			func(c *Config) bool { return c.MetricsListen == "[::1]:9323" }},
		{"[allow]\nusers = \"alice, 1001\"",
			func(c *Config) bool {
				return slices.Equal(c.Allow.Users.List(), []string{"alice", "1001"})
			}},
		{"[allow]\nbudgets = \"1%..10%\"",
			func(c *Config) bool { return c.Allow.Budgets == Budgets{0.01, 0.1} }},
		{"[network]\nlink_mbps = 2500", func(c *Config) bool { return c.LinkMbps == 2500 }},
		{"power = { platform = \"20W\" }", func(c *Config) bool { return c.Power.Platform == 20 }},
		{"power.platform = \"20W\"", func(c *Config) bool { return c.Power.Platform == 20 }},
	} {
		c, err := decode(tc.text)
		if err != nil {
			t.Errorf("%s: %v", tc.text, err)
		} else if !tc.want(&c) {
			t.Errorf("%s: %+v", tc.text, c)
		} else if d := Default(); tc.want(&d) {
			t.Errorf("%s: is the default, the test shows nothing", tc.text)
		}
	}
}

func TestPowerIsNamedAfterWhatItIs(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "table2",
		"[power]\nstatic = \"24W\"":     "table2",
		"[power]\nplatform = \"20W\"":   "table2",
		"[power]\nstatic = \"30W\"":     "table2, changed",
		"[power]\nvolts_at_zero = 0.64": "table2, changed",
	} {
		if c, err := decode(text); err != nil || c.Power.Name != want {
			t.Errorf("%q: model %q, %v; want %q", text, c.Power.Name, err, want)
		}
	}
}

func TestLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.toml")
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("missing file: %v", err)
	}
	if _, err := Load(filepath.Dir(path)); err == nil ||
		!strings.Contains(err.Error(), filepath.Dir(path)) {
		t.Errorf("directory: %v", err)
	}
	if err := os.WriteFile(path, []byte("slowdown = \"2.5%\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Load(path)
	if err != nil || c.Slowdown != units.Slowdown(0.025) {
		t.Errorf("%v, %v", c.Slowdown, err)
	}
}

func TestNearest(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"", "ab", 2}, {"model", "model", 0}, {"modle", "model", 2},
		{"mode", "model", 1}, {"ctq", "ctp", 1}} {
		if got := edits(tc.a, tc.b); got != tc.want {
			t.Errorf("edits(%q, %q) = %d, want %d", tc.a, tc.b, got, tc.want)
		}
	}
}

// TestCalibrateKeepsTheUsersSettings: calibration keeps the values that the user gave.
func TestCalibrateKeepsTheUsersSettings(t *testing.T) {
	for _, tc := range []struct {
		text    string
		quantum time.Duration
		holdOff int
	}{
		{"", 5 * time.Millisecond, 1},
		{`settle = "1.4ms"`, 7 * time.Millisecond, 1},
		{`settle = "20ms"`, 30 * time.Millisecond, 4},
		{"settle = \"20ms\"\nquantum = \"10ms\"", 10 * time.Millisecond, 1},
		{"settle = \"20ms\"\nhold_off = 2", 30 * time.Millisecond, 2},
	} {
		c, err := decode(tc.text)
		if err != nil {
			t.Fatal(err)
		}
		if c.Calibrate(); c.Quantum != tc.quantum || c.HoldOff != tc.holdOff {
			t.Errorf("%q: %v, hold-off %d; want %v, %d", tc.text, c.Quantum, c.HoldOff, tc.quantum,
				tc.holdOff)
		}
	}
}
