package vm

import (
	"encoding/json"
	"os"
	"testing"
)

// qualified is what the tests read of a qualification.
type qualified struct {
	Verdict struct {
		Answer, Sentence string
		Checks           []struct {
			Step                    int
			Question, Answer, Found string
		}
	}
	Steps []struct {
		Step           int
		State, Because string
		Missing        []struct{ What, Because string }
	}
	Changed []string `json:"changed_settings"`
}

// qualify runs ebb qualify and reads its result.
func qualify(t *testing.T, flags ...string) (qualified, result) {
	t.Helper()
	const config, dir = "/tmp/qualify.toml", "/tmp/qualify"
	writeFile(t, config, "quantum = \""+quantum+"\"\n")
	before := controls(t)
	_ = os.RemoveAll(dir)
	r := command(t, "/bin/ebb", append([]string{"qualify", "--config", config, "-o", dir},
		flags...)...)
	t.Log(r.err + r.out)
	same(t, controls(t), before)
	var q qualified
	b, err := os.ReadFile(dir + "/qualify.json")
	if err != nil {
		t.Fatalf("%v: %+v", err, r)
	}
	if err := json.Unmarshal(b, &q); err != nil {
		t.Fatal(err)
	}
	return q, r
}

// TestQualify runs a whole qualification on a machine with a clock, counters and a meter.
func TestQualify(t *testing.T) {
	settle(t)
	q, _ := qualify(t, "--quick", "--each", "50ms", "--rounds", "1")
	for _, s := range q.Steps {
		if s.State != "finished" {
			t.Errorf("step %d: %s: %s", s.Step, s.State, s.Because)
		}
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
