package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/energy/stream"
)

// TestDraw: a stream of two lines becomes a curve of two points, its values those between lines,
// and their highest is 1.
func TestDraw(t *testing.T) {
	s := suite{out: t.TempDir()}
	var text []byte
	for _, l := range []stream.Line{
		{Schema: 1, Source: "modelled", AtNS: 1e9, Watts: 4, TargetNJ: 1e9,
			Processes: []stream.Process{{CPUNS: 5e8}}},
		{Schema: 1, Source: "modelled", AtNS: 3e9, Watts: 8, TargetNJ: 5e9,
			Processes: []stream.Process{{CPUNS: 25e8}}},
	} {
		line, err := l.Encode()
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, line...)
	}
	path := filepath.Join(s.out, "x.jsonl")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	said, err := s.draw("x", path)
	if err != nil || !strings.Contains(said, "claims nothing") {
		t.Errorf("%q, %v", said, err)
	}
	got, err := os.ReadFile(filepath.Join(s.out, "x.csv"))
	want := "0,4,1,0.5,0.5,0.5,0.5,modelled\n1,8,2,1,1,1,1,modelled\n"
	if _, rows, _ := strings.Cut(string(got), "\n"); err != nil || rows != want {
		t.Errorf("%v: %s", err, got)
	}
	if err := os.WriteFile(path, []byte("?\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.draw("x", path); !errors.Is(err, stream.ErrFormat) {
		t.Errorf("%v", err)
	}
}

// TestMissing: what is not installed is named, and is no failure.
func TestMissing(t *testing.T) {
	s := suite{out: t.TempDir(), jars: t.TempDir()}
	if _, err := s.jetty(t.Context()); !errors.Is(err, errMissing) ||
		!strings.Contains(err.Error(), "jetty9-server.jar") {
		t.Errorf("%v", err)
	}
	if _, err := find("no-such-program", "nor-this"); !errors.Is(err, errMissing) {
		t.Errorf("%v", err)
	}
	if m := median([]float64{4, 1, 3, 2}); m != 2.5 {
		t.Error(m)
	}
}

// TestLeakText: the method that has the most is named with its share and interval, and the CPU time
// of all of the server's processes is divided by the answers; without methods or answers there is
// nothing to say.
func TestLeakText(t *testing.T) {
	last := &stream.Line{Schema: 1, Source: "modelled", AtNS: 2e9,
		Processes: []stream.Process{{CPUNS: 3e9}, {CPUNS: 1e9}},
		Methods: []stream.Method{{Unit: "java.util.ArrayList.indexOf", Share: 0.75, Low: 0.7,
			High: 0.8}, {Unit: "other", Share: 0.1}}}
	text, err := last.Encode()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x.jsonl")
	if err := os.WriteFile(path, append([]byte("{}\n"), text...), 0o600); err != nil {
		t.Fatal(err)
	}
	read, err := lastLine(path)
	if err != nil {
		t.Fatal(err)
	}
	said, err := perAnswer("leaking", read, 1000)
	if want := "leaking: 4.00 ms of CPU time an answer (1000); java.util.ArrayList.indexOf has " +
		"75.0 % of it (70.0 to 80.0)"; err != nil || said != want {
		t.Errorf("%q, %v", said, err)
	}
	if _, err := perAnswer("x", read, 0); err == nil {
		t.Error("no answers were divided by")
	}
	if _, err := perAnswer("x", &stream.Line{}, 1); err == nil {
		t.Error("no method was named")
	}
}
