package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/app/doctor"
	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/predictor/power"
)

// clocks is a memory controller whose reads and writes are the kernel's software clock of CPU 0,
// which counts ns.
const clocks = `
file 0444 bus/event_source/devices/uncore_imc/type
	1
file 0444 bus/event_source/devices/uncore_imc/cpumask
	0
file 0444 bus/event_source/devices/uncore_imc/format/event
	config:0-7
file 0444 bus/event_source/devices/uncore_imc/events/data_reads
	event=0x00
file 0444 bus/event_source/devices/uncore_imc/events/data_writes
	event=0x00
`

// runOn governs a loop of a shell on a tree of attributes.
func runOn(t *testing.T, tree string, args ...string) report.Report {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("tracing needs root")
	}
	dir := t.TempDir()
	out := filepath.Join(dir, "r.json")
	args = append([]string{"run", "-v", "--shadow", "--sysfs", devtest.Tree(t, tree), "--run-dir",
		filepath.Join(dir, "run"), "--report", out}, args...)
	var errs bytes.Buffer
	args = append(args, "--", "sh", "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done")
	if code := ebb(args, command.Stdio{In: os.Stdin, Out: os.Stdout,
		Err: &errs}); code != command.OK {
		t.Fatalf("exit status %d: %s", code, errs.String())
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var r report.Report
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	if said := strings.Contains(errs.String(), "\n  memory "); said != (r.MemorySource != "") {
		t.Errorf("memory's traffic is from %q; the summary: %s", r.MemorySource, errs.String())
	}
	return r
}

// dramEnergy is the modelled energy of memory, and its constant part.
func dramEnergy(t *testing.T, r *report.Report) (all, constant float64) {
	t.Helper()
	for _, z := range r.Energy {
		if z.Zone == "dram" && z.Source == report.Reference {
			return float64(z.EnergyNJ), float64(
				power.Table2().DRAMStatic.For(time.Duration(r.ProfiledNS)),
			)
		}
	}
	t.Fatalf("no energy of memory: %+v", r.Energy)
	return 0, 0
}

// TestMemoryTraffic: the controllers' counts are in the report, in the modelled energy and in the
// recording.
func TestMemoryTraffic(t *testing.T) {
	recording := filepath.Join(t.TempDir(), "r.ebb")
	began := time.Now()
	r := runOn(t, devtest.Desktop+clocks, "--record", recording)
	took := time.Since(began)
	if r.MemorySource != "uncore_imc, 1 controller" || r.MemoryNote != "" ||
		r.MemoryReadBytes == nil {
		t.Fatalf("source %q, %q", r.MemorySource, r.MemoryNote)
	}
	// A line for each ns, from the first quantum's end until ebb gets a CPU after the last.
	if got, most := *r.MemoryReadBytes, uint64(64*took); got > most ||
		got < uint64(64*r.WallNS/10) {
		t.Errorf("%d bytes were read in %v", got, time.Duration(r.WallNS))
	}
	read, written := float64(*r.MemoryReadBytes), float64(*r.MemoryWrittenBytes)
	if written < 0.9*read || written > 1.1*read {
		t.Errorf("%v bytes read, %v written, of the same clock", read, written)
	}
	if all, constant := dramEnergy(t, &r); all < 1.5*constant {
		t.Errorf("memory used %v nJ, %v of it when idle", all, constant)
	}

	p, g := recorded(t, recording)
	readings, counted := 0, 0
	observe := observer(func(ev *governor.Event, actions []governor.Action) {
		if ev.Kind == governor.Traffic {
			readings++
		}
		for i := range actions {
			if actions[i].Quantum.MemoryCounted {
				counted++
			}
		}
	})
	if err := governor.Run(context.Background(), g, p, observe); err != nil &&
		!errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	if readings < 2 || counted == 0 {
		t.Errorf("%d readings and %d quanta with them in the recording", readings, counted)
	}
}

type observer func(*governor.Event, []governor.Action)

func (o observer) Observe(ev *governor.Event, actions []governor.Action) { o(ev, actions) }

// TestNoMemoryTraffic: a machine without such counters says so, and the model has the constant part
// alone.
func TestNoMemoryTraffic(t *testing.T) {
	r := runOn(t, devtest.Desktop)
	if r.MemorySource != "" || r.MemoryNote != "not supported here: no uncore PMU" ||
		r.MemoryReadBytes != nil {
		t.Errorf("source %q, %q", r.MemorySource, r.MemoryNote)
	}
	if all, constant := dramEnergy(t, &r); all < 0.9*constant || all > 1.1*constant {
		t.Errorf("memory used %v nJ, %v when idle", all, constant)
	}
}

func TestDoctorNamesTheMemorysCounters(t *testing.T) {
	for tree, want := range map[string]doctor.Finding{
		"": {What: "DRAM traffic", State: doctor.Warning,
			Detail: "not supported here: no uncore PMU"},
		clocks: {What: "DRAM traffic", State: doctor.Good, Detail: "uncore_imc, 1 controller"},
	} {
		if tree != "" && os.Geteuid() != 0 {
			continue
		}
		var out, errs bytes.Buffer
		if code := ebb([]string{"doctor", "--json", "--sysfs",
			devtest.Tree(t, devtest.Desktop+tree)},
			command.Stdio{In: os.Stdin, Out: &out, Err: &errs}); code > command.Failed {
			t.Fatalf("exit status %d: %s", code, errs.String())
		}
		var findings []doctor.Finding
		if err := json.Unmarshal(out.Bytes(), &findings); err != nil {
			t.Fatal(err)
		}
		found := false
		for _, f := range findings {
			found = found || f.What == want.What && f.State == want.State &&
				strings.HasPrefix(f.Detail, want.Detail)
		}
		if !found {
			t.Errorf("no %+v in %s", want, out.String())
		}
	}
}
