package cpufreq

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/cpufreq/internal/fakekernel"
	"github.com/ebb-energy/ebb/units"
)

// TestMain runs the test binary as the process that is going to be killed, when it was started for
// that.
func TestMain(m *testing.M) {
	if os.Getenv(victimEnv) != "" {
		os.Exit(victim())
	}
	os.Exit(m.Run())
}

const (
	mhz = 1000 * kHz
	ghz = 1000 * mhz
)

// acpi is a machine as acpi-cpufreq makes it: a table, every governor.
func acpi(policies int) fakekernel.Spec {
	return fakekernel.Spec{
		Policies: policies, Driver: "acpi-cpufreq",
		Governors: "conservative ondemand userspace powersave performance schedutil",
		Governor:  "schedutil",
		Table:     fakekernel.Ladder(1000000, 4000000, 500000),
	}
}

// hwp is a machine as intel_pstate makes it in active mode.
func hwp(policies int) fakekernel.Spec {
	return fakekernel.Spec{
		Policies: policies, Driver: "intel_pstate", Governors: "performance powersave",
		Governor: "powersave",
		Table:    fakekernel.Ladder(800000, 4200000, 100000), NoTable: true, EPP: true,
	}
}

// start takes hold of a fake machine. The actuator is closed at the test's end.
func start(t *testing.T, k *fakekernel.Kernel, name string) Actuator {
	t.Helper()
	a, err := Start(k.FS(t), Config{RunDir: filepath.Join(t.TempDir(), "run")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = a.Close() })
	if a.Name() != name {
		t.Fatalf("actuator %s (%s), want %s", a.Name(), a.Reason(), name)
	}
	return a
}

func kinds(outcomes []Outcome) []Kind {
	var all []Kind
	for _, o := range outcomes {
		all = append(all, o.Kind)
	}
	return all
}

// set asks for f and checks what becomes of it in each domain.
func set(t *testing.T, a Actuator, f units.Frequency, want ...Kind) []Outcome {
	t.Helper()
	got := a.Set(f)
	if !reflect.DeepEqual(kinds(got), want) {
		t.Fatalf("Set(%d): %v, want %v", f, got, want)
	}
	return got
}

// same checks that every control says what it said before.
func same(t *testing.T, k *fakekernel.Kernel, before map[string]string) {
	t.Helper()
	after := k.Controls()
	for path, value := range before {
		if after[path] != value {
			t.Errorf("%s is %q, was %q", path, after[path], value)
		}
	}
}

func policy(id string, file string) string {
	return "devices/system/cpu/cpufreq/policy" + id + "/" + file
}

func says(t *testing.T, k *fakekernel.Kernel, path, want string) {
	t.Helper()
	if got := strings.TrimSuffix(k.Controls()[path], "\n"); got != want {
		t.Errorf("%s is %q, want %q", path, got, want)
	}
}

func isNot(t *testing.T, err, target error) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Errorf("error %v, want %v", err, target)
	}
}
