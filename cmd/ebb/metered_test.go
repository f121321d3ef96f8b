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
	"github.com/ebb-energy/ebb/internal/sysfs"
	"github.com/ebb-energy/ebb/internal/sysfs/sysfstest"
	"github.com/ebb-energy/ebb/units"
)

// TestMetersAreInputs: where ebb sets frequencies, what the energy meters show goes through the
// governor, and into the recording.
func TestMetersAreInputs(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("tracing needs root")
	}
	tree := sysfstest.Make(t, sysfstest.Desktop+`
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
	if code := ebb(args, command.Stdio{In: os.Stdin, Out: os.Stdout, Err: &errs}); code != command.OK {
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

// TestSums: the cores' energy is handed on where each package has a meter of its cores, and only
// there.
func TestSums(t *testing.T) {
	zone := func(id, name string) string {
		dir := "class/powercap/intel-rapl:" + id
		return "file 0444 " + dir + "/name\n\t" + name + "\nfile 0444 " + dir +
			"/max_energy_range_uj\n\t262143328850\nfile 0600 " + dir + "/energy_uj\n\t1000\n"
	}
	for _, tc := range []struct {
		what             string
		tree             string
		pkg, cores, dram units.Energy // mJ used
	}{
		{"package", zone("0", "package-0"), 7, 0, 0},
		{"with memory", zone("0", "package-0") + zone("0:0", "dram"), 7, 0, 7},
		{"with cores", zone("0", "package-0") + zone("0:0", "core") + zone("0:1", "dram"), 7, 7, 7},
		{"two with cores", zone("0", "package-0") + zone("0:0", "core") + zone("1", "package-1") +
			zone("1:0", "core"), 14, 14, 0},
		{"cores of one of two", zone("0", "package-0") + zone("0:0", "core") +
			zone("1", "package-1"), 14, 0, 0},
	} {
		// Without a power limit the cores' zone would be AMD's, which is one core's.
		tree := sysfstest.Make(t, tc.tree+
			"file 0444 class/powercap/intel-rapl:0/constraint_0_name\n\tlong_term\n"+
			"file 0444 class/powercap/intel-rapl:1/constraint_0_name\n\tlong_term\n")
		fs, err := sysfs.Open(tree)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { fs.Close() })
		m, warning := openMeters(fs)
		if m == nil || warning != "" {
			t.Fatalf("%s: no meters: %s", tc.what, warning)
		}
		t.Cleanup(func() { m.open.Close() })
		if pkg, cores, dram, ok := m.sums(1e9); pkg != 0 || cores != 0 || dram != 0 || !ok {
			t.Errorf("%s: at first %v, %v, %v, %v", tc.what, pkg, cores, dram, ok)
		}
		meters, err := filepath.Glob(filepath.Join(tree, "class/powercap/*/energy_uj"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range meters {
			if err := os.WriteFile(file, []byte("8000\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		const mJ = units.Energy(1_000_000)
		if pkg, cores, dram, ok := m.sums(1.1e9); pkg != tc.pkg*mJ || cores != tc.cores*mJ ||
			dram != tc.dram*mJ || !ok {
			t.Errorf("%s: %v, %v, %v, %v, want %d, %d, %d mJ", tc.what, pkg, cores, dram, ok,
				tc.pkg, tc.cores, tc.dram)
		}
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
