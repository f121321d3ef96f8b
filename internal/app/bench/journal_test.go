package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

func testSamples() []Sample {
	var all []Sample
	for round := 1; round <= 2; round++ {
		for s := range testPlan().Settings {
			x := Sample{Round: round, Setting: s}
			x.Wall, x.CPU, x.Source = time.Duration(1e9+s*1e7+round), time.Duration(5e8), Modelled
			x.Zones = []Zone{{Memory, 5e9}, {Processor, 2e10}}
			if s == 3 {
				x.Source, x.Zones, x.Trouble = Unknown, nil, "policy0 capped: \"2 GHz\"\n"
			}
			all = append(all, x)
		}
	}
	return all
}

// filled is a journal's file with all test samples.
func filled(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "journal")
	j, done, err := openJournal(path, testPlan())
	if err != nil || len(done) != 0 {
		t.Fatalf("a new journal: %v, %d runs", err, len(done))
	}
	for _, s := range testSamples() {
		if err := j.Add(&s); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func reopen(t *testing.T, path string) []Sample {
	t.Helper()
	j, done, err := openJournal(path, testPlan())
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	return done
}

func TestJournalKeepsRuns(t *testing.T) {
	if got := reopen(t, filled(t)); !reflect.DeepEqual(got, testSamples()) {
		t.Errorf("read %+v\nwant %+v", got, testSamples())
	}
}

// TestCutJournalKeepsItsWholeLines: wherever the file is cut, the whole lines before the cut are
// read, and so are lines added later.
func TestCutJournalKeepsItsWholeLines(t *testing.T) {
	path := filled(t)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all := testSamples()
	for n := range len(data) {
		if near := max(n-3, 0); n%11 != 0 &&
			!strings.Contains(string(data[near:min(n+3, len(data))]), "\n") {
			continue // each waits for the disk
		}
		if err := os.WriteFile(path, data[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		lines := max(strings.Count(string(data[:n]), "\n")-1, 0)
		j, done, err := openJournal(path, testPlan())
		if err != nil || len(done) != lines {
			t.Fatalf("cut to %d bytes: %d runs (%v), want %d", n, len(done), err, lines)
		}
		if err := j.Add(&all[lines]); err != nil {
			t.Fatal(err)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		if n%5 == 0 {
			if got := reopen(t, path); !reflect.DeepEqual(got, all[:lines+1]) {
				t.Fatalf("cut to %d bytes and one run added: %+v", n, got)
			}
		}
	}
}

func TestUnusableJournals(t *testing.T) {
	path := filled(t)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(b), "\n")
	head, first, second := lines[0], lines[1], lines[2]
	for name, text := range map[string]string{
		"a poem":            "roses are red\nviolets are blue\n",
		"binary":            "\x00\x01\x02",
		"an empty line":     head + "\n" + first,
		"broken in between": head + first[:20] + "\n" + second,
		"a run twice":       head + first + first,
		"no such setting":   head + strings.Replace(first, "static:4GHz", "static:9GHz", 1),
		"round 0":           head + strings.Replace(first, `"round":1`, `"round":0`, 1),
		"no time": head +
			strings.Replace(first, `"wall_ns":1000000001`, `"wall_ns":0`, 1),
		"negative energy": head +
			strings.Replace(first, `"processor":20000000000`, `"processor":-1`, 1),
		"an unknown source":  head + strings.Replace(first, `"modelled"`, `"guessed"`, 1),
		"an unknown key":     head + strings.Replace(first, `"round"`, `"colour":1,"round"`, 1),
		"another version":    strings.Replace(head, `journal":1`, `journal":2`, 1) + first,
		"no plan":            `{"ebb_bench_journal":1}` + "\n",
		"two values a line":  head + strings.TrimSpace(first) + "{}\n",
		"a number as a line": head + "7\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if text == head+first {
			t.Errorf("%s: the case changes nothing", name)
		}
		if _, _, err := openJournal(path, testPlan()); !errors.Is(err, errJournal) ||
			!strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
		if after, err := os.ReadFile(path); err != nil || string(after) != text {
			t.Errorf("%s: a file that cannot be read was changed", name)
		}
	}
}

func TestJournalOfAnotherPlan(t *testing.T) {
	path := filled(t)
	other := testPlan()
	other.Command = []string{"./other"}
	if _, _, err := openJournal(path, other); !errors.Is(err, errOtherPlan) ||
		!strings.Contains(err.Error(), "./other") || !strings.Contains(err.Error(), "./program") {
		t.Errorf("%v", err)
	}
}

func TestJournalHasOneWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j, _, err := openJournal(path, testPlan())
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := openJournal(path, testPlan()); !errors.Is(err, errJournalInUse) {
		t.Errorf("%v", err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	reopen(t, path)
}

func FuzzJournal(f *testing.F) {
	dir := f.TempDir()
	path := filepath.Join(dir, "journal")
	j, _, err := openJournal(path, testPlan())
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range testSamples()[:4] {
		if err := j.Add(&s); err != nil {
			f.Fatal(err)
		}
	}
	j.Close()
	b, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add(b[:len(b)-5])
	f.Fuzz(func(t *testing.T, data []byte) {
		j := newJournal(nil, testPlan())
		done, err := j.read("journal", data)
		if err != nil {
			if !errors.Is(err, errJournal) && !errors.Is(err, errOtherPlan) {
				t.Errorf("%v", err)
			}
			return
		}
		// Runs that were read can be written and read again, and can be analysed.
		text, _, _ := bytes.Cut(data, []byte("\n"))
		text = append(text[:len(text):len(text)], '\n')
		for i := range done {
			b, err := json.Marshal(j.entry(&done[i]))
			if err != nil {
				t.Fatal(err)
			}
			text = append(append(text, b...), '\n')
		}
		again, err := j.read("journal", text)
		if err != nil || !reflect.DeepEqual(done, again) {
			t.Errorf("read again it is %+v (%v), not %+v", again, err, done)
		}
		Analyse(testPlan(), done, 2)
	})
}
