package qualify

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

func encoded(t testing.TB, r *Result) []byte {
	t.Helper()
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A result reads as it was written, with a verdict of its own.
func TestRead(t *testing.T) {
	r := sound()
	r.Verdict = Verdict{Answer: Not, Sentence: "a stranger's"}
	got, err := Read(encoded(t, r))
	if err != nil {
		t.Fatal(err)
	}
	if got.Verdict.Answer != Believe {
		t.Errorf("it took over the verdict: %+v", got.Verdict)
	}
	r.Verdict = Judge(r)
	if again := string(encoded(t, got)); again != string(encoded(t, r)) {
		t.Errorf("it reads as %s", again)
	}
}

func TestReadRefuses(t *testing.T) {
	long := sound()
	long.Steps[0].Because = strings.Repeat("x", mostText+1)
	many := sound()
	many.Changed = make([]string, mostItems+1)
	far := sound()
	far.Steps[1].Requests.Ratio = 1e300
	twice := sound()
	twice.Steps = append(twice.Steps, twice.Steps[0])
	nine := sound()
	nine.Steps[0].Number = 9
	for name, text := range map[string]string{
		"nothing": "", "text": "hello", "something of the same format": `{"format": 1, "x": 2}`,
		"two": string(encoded(t, sound())) + "{}", "cut off": string(encoded(t, sound())[:999]),
		"another format": `{"format": 7}`, "a list": "[]",
		"too long": strings.Repeat(" ", MostBytes+1), "a long text": string(encoded(t, long)),
		"a long list": string(encoded(t, many)), "a number": string(encoded(t, far)),
		"a step twice": string(encoded(t, twice)), "a ninth step": string(encoded(t, nine)),
	} {
		if _, err := Read([]byte(text)); !errors.Is(err, errForm) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Scrub takes out names, as whole words, and leaves ebb's own words.
func TestScrub(t *testing.T) {
	r := sound()
	r.Machine.Kernel = "6.1.0-castle"
	r.Steps[0].Because = "open /home/alice/ebb on castle: castles stay, alice/castle go"
	r.Steps[0].Number = 1
	r.Scrub(map[string]string{"castle": "HOST", "alice": "USER", "memory": "HOST",
		"/home/alice": "HOME"})
	if want := "open HOME/ebb on HOST: castles stay, USER/HOST go"; r.Steps[0].Because != want {
		t.Errorf("%q, want %q", r.Steps[0].Because, want)
	}
	if r.Machine.Kernel != "6.1.0-HOST" || r.Plan.Programs[1] != Memory {
		t.Errorf("%q, %v", r.Machine.Kernel, r.Plan.Programs)
	}
	before := *sound()
	after := sound()
	after.Scrub(nil)
	if !reflect.DeepEqual(&before, after) {
		t.Error("no words, and something changed")
	}
}

// FuzzRead: a stranger's result is refused, or has a verdict.
func FuzzRead(f *testing.F) {
	f.Add(encoded(f, sound()))
	f.Add([]byte(`{"format":1,"steps":[{"step":2,"requests":{}},{"step":6,"comparisons":[{}]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := Read(text)
		if err != nil {
			return
		}
		if r.Verdict.Answer == "" {
			t.Error("no verdict")
		}
		if _, err := Read(encoded(t, r)); err != nil {
			t.Errorf("what was read cannot be read again: %v", err)
		}
	})
}
