package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/replay"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/devtest"
)

// TestMetersAreInputs: if ebb sets frequencies, the energy meters' readings go through the governor
// and into the recording.
func TestMetersAreInputs(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("tracing needs root")
	}
	tree := devtest.Tree(t, devtest.Desktop+`
file 0444 class/powercap/intel-rapl:0/name
	package-0
file 0444 class/powercap/intel-rapl:0/max_energy_range_uj
	65532610987
file 0400 class/powercap/intel-rapl:0/energy_uj
	1000000
`)
	dir := t.TempDir()
	recording := filepath.Join(dir, "r.ebb")
	var errs bytes.Buffer
	args := []string{"run", "--sysfs", tree, "--run-dir", filepath.Join(dir, "run"), "--record",
		recording, "--", "sh", "-c", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"}
	if code := ebb(args, command.Stdio{In: os.Stdin, Out: os.Stdout,
		Err: &errs}); code != command.OK {
		t.Fatalf("exit status %d: %s", code, errs.String())
	}
	p, g := recorded(t, recording)
	metered := 0
	buf := make([]governor.Event, 64)
	var actions []governor.Action
	for {
		n, err := p.Next(context.Background(), buf)
		for i := range buf[:n] {
			if buf[i].Kind == governor.Metered {
				metered++
			}
			actions = g.Step(&buf[i], actions[:0])
			for _, a := range actions {
				if err := p.Apply(a); err != nil {
					t.Fatal(err)
				}
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if metered == 0 {
		t.Error("no reading in the recording")
	}
}

// recorded is a recording and a governor as the one that it was made of.
func recorded(t *testing.T, file string) (*replay.Player, *governor.Governor) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	p, err := replay.NewPlayer(f)
	if err != nil {
		t.Fatal(err)
	}
	g, err := governor.New(p.Config())
	if err != nil {
		t.Fatal(err)
	}
	return p, g
}
