package train

import (
	"strings"
	"testing"
	"time"
)

func TestReadPlan(t *testing.T) {
	got, err := ReadPlan(strings.NewReader(`
[[program]]
name = "xalan"
command = ["java", "-jar", "dacapo.jar", "xalan"]
time = "2m"

[[program]]
command = ["/usr/bin/sort", "file"]
`), time.Minute)
	if err != nil || len(got) != 2 || got[0].Name != "xalan" || got[0].Time != 2*time.Minute ||
		len(got[0].Argv) != 4 || got[1].Name != "sort" || got[1].Time != time.Minute {
		t.Errorf("got %+v, %v", got, err)
	}
	for want, text := range map[string]string{
		"no [[program]]": "", "no command": "[[program]]\nname = \"x\"\n",
		"unknown key":  "[[program]]\ncommand = [\"x\"]\nspeed = 3\n",
		"is no time":   "[[program]]\ncommand = [\"x\"]\ntime = \"-3s\"\n",
		"expected":     "[[program",
		"no command ":  "[[program]]\ncommand = [\"\"]\n",
		"incompatible": "[[program]]\ncommand = \"x\"\n",
		// The library would need minutes for these.
		"line of more than": strings.Repeat("a.", maxLine) + "a = 1\n",
		"16384 bytes":       strings.Repeat("a.a.a.a.a.a.a.a.a.a = 1\n", 1000),
	} {
		if _, err := ReadPlan(strings.NewReader(text), time.Minute); err == nil ||
			!strings.Contains(err.Error(), strings.TrimSpace(want)) {
			t.Errorf("%s: got %v", want, err)
		}
	}
	for _, cpus := range []int{1, 2, 256} { // each step of load has at least a tenth of the time
		steps := time.Duration(steps(cpus))
		if got := Basic("ebb", cpus, time.Minute)[1].Time; got < time.Minute ||
			got < steps*6*time.Second || got > 2*time.Minute {
			t.Errorf("%d CPUs: the steps of load last %v", cpus, got)
		}
	}
	suite := append(Basic("ebb", 2, time.Second), Suite("ebb", time.Second)...)
	if err := check(suite); err != nil || len(suite) < 10 {
		t.Errorf("the suite: %d programs, %v", len(suite), err)
	}
	if err := check(append(suite, Given([]string{"/bin/sort"}, 0))); err == nil {
		t.Error("two programs called sort")
	}
	if err := check([]Program{Given([]string{"no-such-command"}, 0)}); err == nil {
		t.Error("a command that is not there")
	}
}

func FuzzReadPlan(f *testing.F) {
	f.Add("[[program]]\nname = \"xalan\"\ncommand = [\"java\"]\ntime = \"2m\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		all, err := ReadPlan(strings.NewReader(text), time.Minute)
		for _, p := range all {
			if err == nil && (len(p.Argv) == 0 || p.Time <= 0) {
				t.Errorf("%+v", p)
			}
		}
	})
}
