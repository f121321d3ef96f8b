package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// otherMachine is a model of a machine that nobody has.
const otherMachine = `{"ebbmodel":1,"learner":"ridge","provenance":{"cpu_model":"Abacus","cpus":3},
"inputs":[{"name":"cpu_busy","range":[0,100]}],"power_w":[9,50],
"line":{"base_w":10,"weights_w":[30],"means":[0.5]}}`

// TestBadTraining: one sentence each, and the right status.
func TestBadTraining(t *testing.T) {
	besideOthers(t)
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	empty := filepath.Join(dir, "empty")
	if err := os.Mkdir(empty, 0o755); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "m.ebbmodel")
	few := file("few.csv", "# {\"interval_ns\":1000000000,\"cpus\":2}\n"+
		"timestamp,time,program,power_w,cpu_busy\n1,0,a,10,5\n2,0,a,11,6\n")
	for _, tc := range []struct {
		name  string
		root  bool // it takes root to get to the error
		code  int
		args  []string
		words []string
	}{
		{"no file", false, 2, []string{"train"}, []string{"-o is missing"}},
		{"no meter", false, 1, []string{"train", "-o", out, "--meter-root", empty},
			[]string{"no energy meter", "--meter-csv"}},
		{"no such sensor", false, 1, []string{"train", "-o", out, "--meter-root", empty, "--hwmon",
			"x"}, []string{"there is no sensor x"}},
		{"two meters", false, 2, []string{"train", "-o", out, "--hwmon", "x", "--meter-csv", "y"},
			[]string{"--hwmon and --meter-csv"}},
		{"no such data", false, 2, []string{"train", "-o", out, "--from", dir + "/none.csv"},
			[]string{"none.csv"}},
		{"foreign data", false, 2, []string{"train", "-o", out, "--from",
			file("f.csv", "a,b\n1,2\n")}, []string{"not a data set of ebb train"}},
		{"few intervals", false, 1, []string{"train", "-o", dir + "/f2.ebbmodel", "--from", few},
			[]string{"2 intervals", "100"}},
		{"log for the data set", false, 2, []string{"train", "-o", few + ".ebbmodel",
			"--meter-csv", file("few.csv.csv", "1,10\n2,10\n")}, []string{"is read"}},
		{"foreign file beside the model", false, 2, []string{"train", "-o",
			strings.TrimSuffix(file("own.csv", "1,10\n"), ".csv") + ".ebbmodel"},
			[]string{"own.csv", "not its own"}},
		{"model for the data set", false, 2, []string{"train", "-o", few, "--from", few},
			[]string{"is read"}},
		{"endless log", false, 2, []string{"train", "-o", out, "--from", few, "--meter-csv",
			"/dev/zero"}, []string{"more than"}},
		{"a data set already", false, 2, []string{"train", "-o",
			strings.TrimSuffix(few, ".csv") + ".ebbmodel"}, []string{"is a data set already",
			"--add"}},
		{"selection for a data set", false, 2, []string{"train", "-o", out, "--select", "--from",
			few, "--", "java"}, []string{"--select was given with --from"}},
		{"selection of nothing", false, 2, []string{"train", "-o", out, "--select"},
			[]string{"which programs?"}},
		{"odd events", false, 2, []string{"train", "-o", out, "--events", "gc,a b"},
			[]string{"--events", "names of probes"}},
		{"odd depth", false, 2, []string{"train", "-o", out, "--depth", "deep"},
			[]string{"--depth", "artifact"}},
		{"nothing to add", false, 2, []string{"train", "-o", out, "--add"},
			[]string{"nothing to add"}},
		{"bad plan", false, 2, []string{"train", "-o", out, "--plan",
			file("p.toml", "[[program]]\n")}, []string{"no command"}},
		{"no directory", false, 2, []string{"train", "-o", dir + "/none/m.ebbmodel"},
			[]string{"none"}},
		{"odd interval", false, 2, []string{"train", "-o", out, "--interval", "1ms"},
			[]string{"--interval"}},
		{"no clock", false, 2, []string{"train", "-o", out, "--clocks", "0"},
			[]string{"--clocks 0", "1 to 16"}},
		{"odd user", false, 2, []string{"train", "-o", out, "--user", "no-such-user"},
			[]string{"there is no such user"}},
		{"model of another machine", true, 2, []string{"run", "--methods", "--power-model",
			file("o.ebbmodel", otherMachine), "--", "true"}, []string{"another machine", "Abacus"}},
		{"foreign model", false, 2, []string{"run", "--methods", "--power-model",
			file("f.ebbmodel", "{}"), "--", "true"}, []string{"not a power model"}},
		{"model without methods", false, 2, []string{"run", "--power-model", out, "--", "true"},
			[]string{"--methods"}},
		{"other machine without a model", false, 2, []string{"run", "--methods",
			"--other-machine", "--", "true"}, []string{"--power-model"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.root {
				needRoot(t)
			}
			refused(t, ebb(t, tc.args...), tc.code, tc.words...)
		})
	}
}

// TestTrainInterrupted: SIGINT ends the program and leaves the data.
func TestTrainInterrupted(t *testing.T) {
	besideOthers(t)
	needRoot(t)
	meter, dir := layMeter(t), t.TempDir()
	data := filepath.Join(dir, "m.csv")
	cmd := command(t, "train", "-o", filepath.Join(dir, "m.ebbmodel"), "--meter-root", meter.root,
		"--interval", "200ms", "--each", "1s", "--others", "100%", "--", "sleep", "47.11")
	ended := begin(t, cmd)
	for i := 0; len(withCommand(t, "sleep\x0047.11\x00")) == 0; i++ {
		if i == 600 {
			t.Fatal("the program did not start within a minute")
		}
		time.Sleep(100 * time.Millisecond)
	}
	time.Sleep(time.Second)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	r := <-ended
	text, err := os.ReadFile(data)
	if r.code != 130 || err != nil || !strings.Contains(string(text), ",idle,") ||
		!strings.Contains(string(text), ",load,") || !strings.Contains(r.stderr, "--from") {
		t.Errorf("status %d, %v\n%s", r.code, err, r.stderr)
	}
	if left := withCommand(t, "sleep\x0047.11\x00"); len(left) > 0 {
		t.Errorf("still running: %v", left)
	}
}
