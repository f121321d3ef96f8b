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
