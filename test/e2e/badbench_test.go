package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestBadBenchUsage(t *testing.T) {
	besideOthers(t)
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	sim := []string{"--sim", "quick.locks", "--runs", "1"}
	for _, tc := range []struct {
		name  string
		args  []string
		words []string
	}{
		{"nothing to measure", nil, []string{"nothing to measure", "command"}},
		{"nothing to simulate", []string{"--runs", "1", "--profile", "paper"},
			[]string{"--sim"}},
		{"no such program", []string{"--sim", "doom"}, []string{"doom", "xalan"}},
		{"no such profile", append(sim, "--profile", "abacus"), []string{"abacus", "paper"}},
		{"a profile without a simulation", []string{"--profile", "paper", "--", "true"},
			[]string{"--profile"}},
		{"a command that does not exist", []string{"--", "/no/such/program"},
			[]string{"/no/such/program"}},
		{"no runs", []string{"--runs", "0", "--", "true"}, []string{"--runs 0"}},
		{"too many runs", []string{"--runs", "1000000000", "--", "true"}, []string{"1000000000"}},
		{"runs that are no number", []string{"--runs", "many", "--", "true"}, []string{"many"}},
		{"negative warm-up", []string{"--warm-up", "-1", "--", "true"}, []string{"-1"}},
		{"negative pause", []string{"--pause", "-1s", "--", "true"}, []string{"-1s"}},
		{"pause in a simulation", append(sim, "--pause", "1s"), []string{"--pause"}},
		{"a negative seed", append(sim, "--seed", "-1"), []string{"-1"}},
		{"a budget without a unit", append(sim, "--slowdown", "5"), []string{"5", "%"}},
		{"a negative budget", append(sim, "--slowdown", "-5%"), []string{"-5%"}},
		{"a budget beyond all", append(sim, "--slowdown", "200%"), []string{"200%"}},
		{"a budget twice", append(sim, "--slowdown", "5%,5%"), []string{"twice"}},
		{"an empty budget", append(sim, "--slowdown", "5%,,10%"), nil},
		{"an unknown objective", append(sim, "--minimize", "fun"), []string{"fun"}},
		{"a frequency the machine has not", append(sim, "--frequencies", "2.3GHz"),
			[]string{"2.3GHz"}},
		{"a frequency without a unit", append(sim, "--frequencies", "2000"), []string{"2000"}},
		{"a config that does not exist", append(sim, "--config", filepath.Join(dir, "none")),
			[]string{"none"}},
		{"a config with a typo", append(sim, "--config", file("typo.toml", "slowdwn = \"5%\"\n")),
			[]string{"slowdwn"}},
		{"a config that decides nothing",
			append(sim, "--config", file("fixed.toml", "frequency = \"2GHz\"\n")),
			[]string{"fixed.toml"}},
		{"a config with an objective",
			append(sim, "--config", file("goal.toml", "minimize = \"system-energy\"\n")),
			[]string{"goal.toml", "--minimize"}},
		{"output into a file", append(sim, "-o", file("plain", "")), []string{"plain"}},
		{"a journal that is none", append(sim, "--journal", file("poem", "roses are red\n")),
			[]string{"poem"}},
		{"a journal nowhere", append(sim, "--journal", "/no/such/dir/journal"),
			[]string{"/no/such/dir"}},
		{"a journal that is a directory", append(sim, "--journal", dir), []string{"directory"}},
		{"an unknown flag", append(sim, "--frobnicate"), []string{"frobnicate"}},
		{"an argument in a simulation", append(sim, "xalan"), []string{"xalan"}},
		{"no such tree", []string{"--sysfs", "/no/such/tree", "--", "true"},
			[]string{"/no/such/tree"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			make := command
			if slices.Contains(tc.args, "quick.locks") || slices.Contains(tc.args, "doom") ||
				tc.name == "nothing to simulate" {
				make = labCommand
			}
			cmd := make(t, append([]string{"bench"}, tc.args...)...)
			cmd.Dir = t.TempDir()
			refused(t, finish(t, cmd), 2, tc.words...)
			onlyFiles(t, cmd.Dir)
		})
	}
}

// TestBenchWithoutFrequencyControl: where nothing can be compared it says so, and what can be done
// instead.
func TestBenchWithoutFrequencyControl(t *testing.T) {
	tree := t.TempDir()
	refused(t, ebb(t, "bench", "--sysfs", tree, "--run-dir", filepath.Join(tree, "run"), "--",
		"true"), 1, "no frequency domain", "--sim")
	onlyFiles(t, tree)
}

// TestBenchOfAFailingCommand: no figure comes of it.
func TestBenchOfAFailingCommand(t *testing.T) {
	needRoot(t)
	b := layBench(t, benchTree)
	args := append(b.args("0")[:7], "--quiet", "--", "sh", "-c",
		"echo no such database >&2; exit 3")
	refused(t, ebb(t, args...), 1, "exit status 3", "no such database")
	b.restored(t)
}
