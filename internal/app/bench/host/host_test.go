package host

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/governor/live"
	"github.com/ebb-energy/ebb/internal/app/bench"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/proc"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/predictor/power"
	"github.com/ebb-energy/ebb/units"
)

const ghz units.Frequency = 1_000_000_000

func TestEachFrequencyIsSetAndTakenBack(t *testing.T) {
	seen := filepath.Join(t.TempDir(), "seen")
	b := lay(t, devtest.Desktop, `cat "$P/scaling_governor" "$P/scaling_setspeed" >>`+seen, nil,
		nil)
	if !slices.Equal(b.States(), []units.Frequency{1 * ghz, 2 * ghz, 3 * ghz, 4 * ghz}) ||
		b.Actuator() != "setspeed" || b.Governor() != "schedutil, acpi-cpufreq" {
		t.Errorf("states %v by %s, found %s", b.States(), b.Actuator(), b.Governor())
	}
	b.asFound(t) // inspecting the machine left nothing
	for _, f := range []units.Frequency{2 * ghz, 4 * ghz} {
		m, err := b.Run(t.Context(), bench.Setting{Kind: bench.Static, Frequency: f}, 1)
		if err != nil {
			t.Fatal(err)
		}
		b.asFound(t)
		if m.Wall <= 0 || m.Wall > time.Minute || m.CPU <= 0 || m.Source != bench.Reference ||
			m.Trouble != "" {
			t.Errorf("%v: %+v", f, m)
		}
		// Static power at least, and at most all cores busy.
		if e, ok := m.Energy(bench.Processor); !ok || e < units.Power(10).For(m.Wall) ||
			e > units.Power(24+4*20).For(m.Wall) {
			t.Errorf("%v: %v in %v", f, e, m.Wall)
		}
	}
	if got, err := os.ReadFile(seen); err != nil ||
		string(got) != "userspace\n2000000\nuserspace\n4000000\n" {
		t.Errorf("the program saw %q (%v)", got, err)
	}
}

// TestSource: energies are the reference processor's until somebody states this machine's power.
func TestSource(t *testing.T) {
	r := Runner{Config: Config{Power: power.Table2()}}
	if got := r.Source(); got != bench.Reference {
		t.Errorf("by the default model: %s", got)
	}
	r.Power.Platform = 20 // says nothing of the processor
	if got := r.Source(); got != bench.Reference {
		t.Errorf("with the platform's power: %s", got)
	}
	r.Power.Static = 5
	if got := r.Source(); got != bench.Modelled {
		t.Errorf("with a stated power: %s", got)
	}
}

// TestRunsAsAUser: what is measured runs as the user that is asked for, with that environment.
func TestRunsAsAUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root may run a command as another user")
	}
	as := &live.Identity{Name: "somebody", UID: 12345, GID: 23456, Groups: []uint32{23456, 34567},
		Set: map[string]string{"HOME": "/of/somebody"}}
	b := lay(t, devtest.Desktop, `test "$(id -u) $(id -G) $HOME" = "12345 23456 34567 /of/somebody"`,
		func(c *Config) { c.As = as }, nil)
	if _, err := b.Run(t.Context(), bench.Setting{Kind: bench.Default}, 1); err != nil {
		t.Fatal(err)
	}
}

// TestOrdinaryPriority: what is measured runs at the priority that it has under ebb run, the
// ordinary one, though ebb itself has more while it takes the time.
func TestOrdinaryPriority(t *testing.T) {
	b := lay(t, devtest.Desktop, `test "$(cut -d' ' -f41 /proc/$$/stat)" = 0`, nil, nil)
	if _, err := b.Run(t.Context(), bench.Setting{Kind: bench.Default}, 1); err != nil {
		t.Fatal(err) // the policy is another one (proc_pid_stat(5))
	}
}

func TestAsFoundIsLeftAlone(t *testing.T) {
	seen := filepath.Join(t.TempDir(), "seen")
	b := lay(t, devtest.Desktop, `cat "$P/scaling_governor" >`+seen, nil, nil)
	before := b.read(t, policy+"scaling_setspeed")
	m, err := b.Run(t.Context(), bench.Setting{Kind: bench.Default}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(seen); err != nil || string(got) != "schedutil\n" {
		t.Errorf("the program saw %q (%v)", got, err)
	}
	if b.read(t, policy+"scaling_setspeed") != before {
		t.Error("something was written")
	}
	// The kernel's choices are unknown, and so is their energy.
	if _, known := m.Energy(); known || m.Source != bench.Unknown {
		t.Errorf("energy %+v", m)
	}
}

func TestCappedFrequencyIsReported(t *testing.T) {
	on := false
	b := lay(t, devtest.Desktop, "true", nil, func(path string, f sysfs.File) sysfs.File {
		if strings.HasSuffix(path, "scaling_setspeed") {
			return capped{f, &on}
		}
		return f
	})
	on = true
	for f, want := range map[units.Frequency]string{4 * ghz: "found 3000000 kHz", 2 * ghz: ""} {
		m, err := b.Run(t.Context(), bench.Setting{Kind: bench.Static, Frequency: f}, 1)
		if err != nil {
			t.Fatal(err)
		}
		if (want == "") != (m.Trouble == "") || !strings.Contains(m.Trouble, want) {
			t.Errorf("%v: trouble %q, want %q", f, m.Trouble, want)
		}
	}
	b.asFound(t)
}

func TestFailingCommand(t *testing.T) {
	b := lay(t, devtest.Desktop, "echo 'first words' >&2; echo 'no such database' >&2; exit 3",
		nil, nil)
	for _, s := range []bench.Setting{{Kind: bench.Static, Frequency: ghz}, {Kind: bench.Default}} {
		_, err := b.Run(t.Context(), s, 1)
		if !errors.Is(err, errCommand) || !strings.Contains(err.Error(), "exit status 3") ||
			!strings.Contains(err.Error(), "no such database") ||
			strings.Contains(err.Error(), "first") {
			t.Errorf("%s: %v", s, err)
		}
		b.asFound(t)
	}
	b = lay(t, devtest.Desktop, "kill -9 $$", nil, nil)
	if _, err := b.Run(t.Context(), bench.Setting{Kind: bench.Default}, 1); !errors.Is(err,
		errCommand) || !strings.Contains(err.Error(), "killed") {
		t.Errorf("%v", err)
	}
	b = lay(t, devtest.Desktop, "", func(c *Config) { c.Command = []string{"/no/such/program"} },
		nil)
	if _, err := b.Run(t.Context(), bench.Setting{Kind: bench.Static, Frequency: ghz},
		1); !errors.Is(err, errCommand) {
		t.Errorf("%v", err)
	}
	b.asFound(t)
}

// TestInterruptionRestoresTheMachine: an interrupt ends the program and its children, and leaves
// the machine as it was found.
func TestInterruptionRestoresTheMachine(t *testing.T) {
	for name, script := range map[string]string{
		"a program that ends": "sleep 1000 & echo $! >$B; wait",
		"one that does not": "trap '' TERM; (trap '' TERM; while :; do sleep 0.01; done) & " +
			"echo $! >$B; while :; do sleep 0.01; done",
		"one whose child does not": "(trap '' TERM; while :; do sleep 0.01; done) & " +
			"echo $! >$B; wait",
		"one that starts a child then": "trap 'sleep 1000 & echo $! >$B; exit' TERM; " +
			"echo 0 >$B; while :; do sleep 0.01; done",
	} {
		begun := filepath.Join(t.TempDir(), "begun")
		b := lay(t, devtest.Desktop, "B="+begun+"\n"+script, nil, nil)
		b.patience = 100 * time.Millisecond
		if strings.HasPrefix(name, "one that starts") { // it ends by itself, when it has done so
			b.patience = devtest.Hung
		}
		_, err := b.Run(soon(t, begun), bench.Setting{Kind: bench.Static, Frequency: ghz}, 1)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		b.asFound(t)
		text, err := os.ReadFile(begun)
		if err != nil {
			t.Fatal(err)
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		alive := func() bool {
			s, err := proc.ReadStat(pid)
			return err == nil && !s.Ended()
		}
		for i := 0; alive(); i++ {
			if i == 1000 {
				t.Fatalf("%s: what it started still runs", name)
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	b := lay(t, devtest.Desktop, "true", func(c *Config) { c.Pause = time.Hour }, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Run(ctx, bench.Setting{Kind: bench.Default}, 1); !errors.Is(err,
		context.Canceled) {
		t.Errorf("interrupted in a pause: %v", err)
	}
}

func TestWithoutControl(t *testing.T) {
	for name, tree := range map[string]string{
		"no cpufreq":         "file 0444 devices/system/cpu/online\n\t0-1\n",
		"an empty directory": "dir devices/system/cpu/cpufreq\n",
	} {
		fs, err := sysfs.Open(devtest.Tree(t, tree))
		if err != nil {
			t.Fatal(err)
		}
		defer fs.Close()
		if _, err := Open(Config{Sysfs: fs,
			RunDir: filepath.Join(t.TempDir(), "run")}); !errors.Is(err, ErrNoControl) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
