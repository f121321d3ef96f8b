package e2e

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestHelpShowsExamplesAndExitStatus(t *testing.T) {
	if r := ebb(t, "--help"); r.code != 0 || !strings.Contains(r.stdout, "Exit status") {
		t.Errorf("status %d, %s", r.code, r.stdout)
	}
	for _, sub := range []string{"run", "record", "predict", "replay", "bench", "doctor"} {
		r := ebb(t, sub, "--help")
		if r.code != 0 || !strings.Contains(r.stdout, "Examples:") ||
			!strings.Contains(r.stdout, "ebb "+sub) {
			t.Errorf("%s --help: status %d, %s", sub, r.code, r.stdout)
		}
	}
}

// TestHelpListsResearchFlagsApart: run has the paper's methods under a heading of their own, and
// nowhere else.
func TestHelpListsResearchFlagsApart(t *testing.T) {
	for sub, help := range map[string]string{"run": "--help-all"} {
		r := ebb(t, sub, help)
		ordinary, research, ok := strings.Cut(r.stdout, "The paper's methods, for research:\n")
		if !ok {
			t.Errorf("%s --help has no heading for them:\n%s", sub, r.stdout)
			continue
		}
		for _, flag := range []string{"--model", "--estimator", "--ctp", "--rule"} {
			if strings.Contains(ordinary, flag+" ") || !strings.Contains(research, flag+" ") {
				t.Errorf("%s --help lists %s elsewhere:\n%s", sub, flag, r.stdout)
			}
		}
		if strings.Contains(research, "--help") {
			t.Errorf("%s --help lists its own flags with them", sub)
		}
	}
}

func TestVersionAndCompletion(t *testing.T) {
	for _, arg := range []string{"version", "--version"} {
		if r := ebb(t, arg); r.code != 0 || !strings.HasPrefix(r.stdout, "ebb ") {
			t.Errorf("%s: status %d, %q", arg, r.code, r.stdout)
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if r := ebb(t, "completion", shell); r.code != 0 || !strings.Contains(r.stdout, "ebb") {
			t.Errorf("completion %s: status %d", shell, r.code)
		}
	}
}

func TestDoctorGivesAReasonForEachLine(t *testing.T) {
	nothing := func(s string) bool { return strings.TrimSpace(s) == "" }
	r := ebb(t, "doctor")
	if r.code != 0 && r.code != 1 {
		t.Errorf("status %d: %s", r.code, r.stderr)
	}
	for _, word := range []string{"BTF", "tracing", "frequency", "ebb run"} {
		if !strings.Contains(r.stdout, word) {
			t.Errorf("doctor has no line on %s:\n%s", word, r.stdout)
		}
	}
	for _, line := range strings.Split(strings.TrimSpace(r.stdout), "\n") {
		if !nothing(line) && len(strings.Fields(line)) < 3 {
			t.Errorf("a line without a reason: %q", line)
		}
	}
}

// initialised is a package's line of the Go runtime's GODEBUG=inittrace=1.
var initialised = regexp.MustCompile(`(?m)^init github.com/ebb-energy/ebb/(\S+) .* (\d+) bytes`)

// TestStartMakesLittle: every start of ebb, also of its own processes, initialises all packages. So
// none of them makes more than 16 KiB there, such as regular expressions that few commands use.
func TestStartMakesLittle(t *testing.T) {
	// The runtime obeys GODEBUG in ebb's own processes alone, which such a word begins.
	cmd := command(t, "__")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	lines := initialised.FindAllStringSubmatch(finish(t, cmd).stderr, -1)
	if len(lines) == 0 {
		t.Fatal("no package is initialised")
	}
	for _, m := range lines {
		if n, _ := strconv.Atoi(m[2]); n > 16<<10 {
			t.Errorf("%s makes %d bytes at each start", m[1], n)
		}
	}
}
