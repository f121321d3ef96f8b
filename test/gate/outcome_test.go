package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// TestOutcome: what is printed of a run that has each kind of end: passed, skipped, failed twice,
// failed in a pure package, failed beside others alone, was ended by its limit, did not build, left
// a process.
func TestOutcome(t *testing.T) {
	events, err := os.Open("testdata/events.json")
	if err != nil {
		t.Fatal(err)
	}
	defer events.Close()
	o, err := read(events)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	o.print(&b)
	devtest.Golden(t, "testdata/outcome.txt", b.Bytes())
}

// TestNothingFailed: a run without a failure ends with what it cost, and lists no failure.
func TestNothingFailed(t *testing.T) {
	const events = `{"Action":"run","Package":"github.com/ebb-energy/ebb/units","Test":"TestA"}
{"Action":"pass","Package":"github.com/ebb-energy/ebb/units","Test":"TestA","Elapsed":1}
{"Action":"pass","Package":"github.com/ebb-energy/ebb/units","Elapsed":1}
`
	o, err := read(bytes.NewBufferString(events))
	if err != nil {
		t.Fatal(err)
	}
	if failed, aloneOnly := o.failures(); len(failed) != 0 || len(aloneOnly) != 0 {
		t.Errorf("failed %v, alone only %v", failed, aloneOnly)
	}
}

// TestManyFailures: the lines about many failures stay few enough to be seen together.
func TestManyFailures(t *testing.T) {
	for _, n := range []int{1, 9, 10, 60} {
		o := &outcome{byName: map[name]*result{}}
		for i := range n {
			test := "Test" + string(rune('A'+i%26)) + string(rune('a'+i/26))
			for _, ev := range []event{{Action: "run"},
				{Action: "output", Output: "    a_test.go:1: one\n    a_test.go:2: two\n"},
				{Action: "output", Output: "    a_test.go:3: three\n"}, {Action: "fail"}} {
				ev.Package, ev.Test = "test/e2e", test
				o.add(ev)
			}
		}
		var b bytes.Buffer
		o.print(&b)
		lines := bytes.Split(b.Bytes(), []byte("\n"))
		begin := 0
		for i, line := range lines {
			if bytes.HasPrefix(line, []byte("Failed: ")) {
				begin = i
			}
		}
		if last := len(lines) - begin; begin == 0 || last > 40 {
			t.Errorf("%d failures: %d lines\n%s", n, last, b.Bytes())
		}
	}
}
