package main

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ebb-energy/ebb/internal/app/bench"
	"github.com/ebb-energy/ebb/internal/app/run"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/predictor/sensitivity"
)

// drive is how TestFlagsOverConfig sets a flag.
type drive struct {
	args  []string // the flag with its value, and flags that it needs
	key   string   // the configuration's line that says the same; "" where no key does
	other string   // a line with another value for that key
}

// drives has each flag of the commands that take --config; files are made by the test.
func drives(files map[string]string) map[string]drive {
	one := func(args ...string) drive { return drive{args: args} }
	return map[string]drive{
		"slowdown": {[]string{"--slowdown", "12.345%"}, `slowdown = "12.345%"`, `slowdown = "1%"`},
		"frequency": {[]string{"--frequency", "2.4567GHz"}, `frequency = "2.4567GHz"`,
			`frequency = "1GHz"`},
		"minimize": {[]string{"--minimize", "system-energy"}, `minimize = "system-energy"`,
			`minimize = ""`},
		"platform-power": {[]string{"--platform-power", "20.0625W"},
			"[power]\nplatform = \"20.0625W\"", "[power]\nplatform = \"3W\""},
		"states": {[]string{"--states", "1GHz..4GHz/500MHz"}, `states = "1GHz..4GHz/500MHz"`,
			`states = "1GHz..2GHz/100MHz"`},
		"shadow":    {[]string{"--shadow"}, "shadow = true", "shadow = false"},
		"quantum":   {[]string{"--quantum", "7ms"}, `quantum = "7ms"`, `quantum = "9ms"`},
		"hold-off":  {[]string{"--hold-off", "3"}, "hold_off = 3", "hold_off = 4"},
		"rest":      {[]string{"--rest", "5"}, "rest = 5", "rest = 6"},
		"settle":    {[]string{"--settle", "1ms"}, `settle = "1ms"`, `settle = "2ms"`},
		"rule":      {[]string{"--rule", "even"}, `rule = "even"`, `rule = "priced"`},
		"margin":    {[]string{"--margin", "error-bar"}, `margin = "error-bar"`, `margin = "7%"`},
		"model":     {[]string{"--model", "dep"}, `model = "dep"`, `model = "wake"`},
		"estimator": {[]string{"--estimator", "stall"}, `estimator = "stall"`, `estimator = "crit"`},
		"ctp":       {[]string{"--ctp", "per-epoch"}, `ctp = "per-epoch"`, `ctp = "across"`},
		"ring-bytes": {[]string{"--ring-bytes", "16777216"}, "ring_bytes = 16777216",
			"ring_bytes = 8388608"},
		"pid":              one("--pid", "4711"),
		"cgroup":           one("--cgroup", "/sys/fs/cgroup/a,b"),
		"unit":             one("--unit", "nginx.service"),
		"tenants":          one("--tenants", files["tenants"]),
		"duration":         one("--duration", "90s"),
		"counters":         one("--counters", "cycles,instructions", "--counters", "tsc"),
		"collector-phases": one("--collector-phases"),
		"metrics-listen": {[]string{"--metrics-listen", "127.0.0.1:9323"},
			"[metrics]\nlisten = \"127.0.0.1:9323\"", "[metrics]\nlisten = \"127.0.0.1:1\""},
		"allow-users": {[]string{"--allow-users", "alice,1001"},
			"[allow]\nusers = \"alice,1001\"", "[allow]\nusers = \"bob\""},
		"allow-budgets": {[]string{"--allow-budgets", "1%..7.5%"},
			"[allow]\nbudgets = \"1%..7.5%\"", "[allow]\nbudgets = \"1%..2%\""},
		"allow-agents": {[]string{"--allow-agents", "54321"},
			"[allow]\nagents = \"54321\"", "[allow]\nagents = \"1\""},
		"allow-namespaces": {[]string{"--allow-namespaces", "shop,batch"},
			"[allow]\nnamespaces = \"shop,batch\"", "[allow]\nnamespaces = \"shop\""},
		"sysfs":                one("--sysfs", "/a"),
		"procfs":               one("--procfs", "/b"),
		"run-dir":              one("--run-dir", "/c"),
		"quiet":                one("-q"),
		"verbose":              one("-v"),
		"live":                 one("--live", "row"),
		"user":                 one("--user", "nobody"),
		"keep-env":             one("--keep-env", "TOKEN,LANG", "--keep-env", "[x]"),
		"as-if":                one("--methods", "--as-if", "table2"),
		"alone":                one("--alone"),
		"takeover":             one("--takeover"),
		"accept-container-end": one("--accept-container-end"),
		"report":               one("--report", "r,1.json"),
		"record":               one("--record", "r.ebb"),
		"epochs":               one("--epochs", "e.csv"),
		"network":              one("--network"),
		"methods":              one("--methods"),
		"threads":              one("--threads"),
		"interval":             one("--interval", "2s"),
		"stream":               one("--stream", "s.jsonl"),
		"regions":              one("--methods", "--regions"),
		"trace":                one("--methods", "--trace", "[dir]"),
		"functions":            one("--functions=period=50ms,by=name,counters=cycles+instructions"),
		"java":                 one("--java", "a.*,!a.b", "--java", "c.D.e"),
		"count":                one("--count", "f,lib.so:g", "--count", "[h]"),
		"count-stepped":        one("--count", "f", "--count-stepped"),
		"sensitivity":          one("--sensitivity", files["sensitivity"]),
		"tdp":                  one("--methods", "--tdp", "65.0625W"),
		"power-model":          one("--methods", "--power-model", files["power-model"]),
		"other-machine": one("--methods", "--power-model", files["power-model"],
			"--other-machine"),
		"meter-root": one("--meter-root", "/d"),
		"meter-csv":  one("--meter-csv", "plug.csv"),
		"hwmon":      one("--hwmon", "hwmon3/power2"),
		"host-share": one("--host-share", "energy.json"),
		"warm-up":    one("--methods", "--warm-up", "3s"),
		"window":     one("--methods", "--window", "10ms"),
		"rate":       one("--methods", "--rate", "499"),
		"rules":      one("--methods", "--rules", "all", "--rules", "ledger,equal"),
		"for":        one("--for", "10s"),
		"json":       one("--json"),
	}
}

// configured are the commands whose settings a file and flags make together.
var configured = map[string]func(*runSettings, command.Stdio) *cobra.Command{
	"run": runCommand, "record": recordCommand, "energy": energyCommand, "serve": serveCommand,
}

// settingsOf are the settings of a command by these arguments, and of a file with this text where
// it is not nil.
func settingsOf(t *testing.T, name string, text *string, args []string) run.Settings {
	t.Helper()
	s := &runSettings{Settings: run.NewSettings()}
	s.RecordOnly = name == "record"
	cmd := configured[name](s, command.Stdio{})
	command.RefuseContradictions(cmd)
	if name == "energy" {
		// --power-model and --tdp need nothing beside them
		args = lacking(args, "--methods")
	}
	if text != nil {
		file := filepath.Join(t.TempDir(), "ebb.toml")
		if err := os.WriteFile(file, []byte(*text), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append([]string{"--config", file}, args...)
	}
	if err := cmd.ParseFlags(args); err != nil {
		t.Fatalf("%s %q: %v", name, args, err)
	}
	if err := s.load(cmd); err != nil {
		t.Fatalf("%s %q: %v", name, args, err)
	}
	return s.Settings
}

// lacking is a list of arguments without one of them.
func lacking(args []string, not string) (out []string) {
	for _, a := range args {
		if a != not {
			out = append(out, a)
		}
	}
	return out
}

// TestFlagsOverConfig drives each flag of the commands with --config through the flag, through the
// file and through both: the settings are the same each time.
func TestFlagsOverConfig(t *testing.T) {
	all := drives(map[string]string{"power-model": trainedFile(t), "sensitivity": tableFile(t),
		"tenants": tenantsFile(t)})
	for name, make := range configured {
		cmd := make(&runSettings{}, command.Stdio{})
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Name == "config" || f.Name == "help" || f.Name == command.HelpAll ||
				f.Name == "tenants-dir" { // which is no setting of a run
				return
			}
			if name == "energy" && (f.Name == "machine" || slices.Contains(machineFlags, f.Name)) {
				return // --machine takes nothing from a file
			}
			d, ok := all[f.Name]
			if !ok {
				t.Errorf("%s --%s: the test does not drive it", name, f.Name)
				return
			}
			none := settingsOf(t, name, nil, nil)
			want := settingsOf(t, name, nil, d.args)
			if f.Name != "json" && f.Name != "sensitivity" && reflect.DeepEqual(want, none) {
				t.Errorf("%s %q: has no effect, the test shows nothing", name, d.args)
			}
			same := func(what string, text string, args []string) {
				if got := settingsOf(t, name, &text, args); !reflect.DeepEqual(got, want) {
					t.Errorf("%s --%s, %s:\n%+v, want\n%+v", name, f.Name, what, got, want)
				}
			}
			same("beside an empty file", "", d.args)
			if d.key != "" {
				same("by the file", d.key, nil)
				same("over the file", d.other, d.args)
				if got := settingsOf(t, name, &d.other, nil); reflect.DeepEqual(got, want) {
					t.Errorf("%s: %s is what the flag says, the test shows nothing", name, d.other)
				}
			}
		})
	}
}

// TestBenchFlagsOverConfig: bench takes from a file what no flag of it says.
func TestBenchFlagsOverConfig(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ebb.toml")
	if err := os.WriteFile(file, []byte("rest = 3\nslowdown = \"2%\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	read := func(args ...string) *benchSettings {
		b := &benchSettings{Session: bench.NewSession()}
		cmd := benchCommand(b, command.Stdio{})
		if err := cmd.ParseFlags(args); err != nil {
			t.Fatal(err)
		}
		if _, err := b.Check(); err != nil {
			t.Fatal(err)
		}
		return b
	}
	flags := []string{"--slowdown", "3%,5%", "--frequencies", "1GHz,2GHz", "--frequencies", "3GHz"}
	want, got := read(flags...), read(append(flags, "--config", file)...)
	if got.Config.Rest != 3 {
		t.Errorf("the file's rest is %d", got.Config.Rest)
	}
	got.Config, got.ConfigFile = want.Config, ""
	if !reflect.DeepEqual(got, want) {
		t.Errorf("with the file %+v, want %+v", got, want)
	}
}

// trainedFile writes a power model.
func trainedFile(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "m.ebbmodel")
	mustModel(t, append([]string{"train", writeMetered(t, 6), "-o", file}, meteredColumns...)...)
	return file
}

// tableFile writes a table of functions.
func tableFile(t *testing.T) string {
	t.Helper()
	table := sensitivity.Table{Version: sensitivity.Version, Hz: 4e9, Command: "app",
		Estimator: "counters", Functions: []sensitivity.Function{{Name: "f", Module: "app",
			BuildID: "0a1b", Ranges: []sensitivity.Range{{Start: 16, End: 32}},
			Share: 0.5, High: 1}}}
	var b bytes.Buffer
	if err := table.Write(&b); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "app.functions")
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// tenantsFile is a file of tenants.
func tenantsFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tenants.toml")
	if err := os.WriteFile(path, []byte("[tenant.web]\nunit = \"nginx\"\nslowdown = \"5%\"\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	return path
}
