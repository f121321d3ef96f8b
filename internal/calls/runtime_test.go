package calls_test

import (
	"cmp"
	"fmt"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/calls"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/instrumented"
)

// period is short enough for the tests' programs to see many periods.
const period = 5 * time.Millisecond

// TestCounts compares exact counts with those that programs keep of themselves.
func TestCounts(t *testing.T) {
	b := build(t)
	preload := []string{"LD_PRELOAD=" + b.shared}
	for _, c := range []struct {
		name, source string
		args         []string
	}{
		{"plain", "plain.c", []string{"30000"}},
		{"threads", "threads.c", []string{"8", "4", "3000"}},
		{"threads one after the other", "threads.c", []string{"3", "400", "20"}},
		{"fork", "processes.c", []string{"fork"}},
		{"fork without handlers", "processes.c", []string{"raw"}},
		{"exec", "processes.c", []string{"exec"}},
		{"vfork and exec", "processes.c", []string{"vfork"}},
		{"exec after all descriptors are closed", "processes.c", []string{"close"}},
		{"jumps", "jumps.c", nil},
		{"signals", "signals.c", nil},
		{"exceptions", "exceptions.cc", nil},
		{"descriptors", "closes.c", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			argv := append([]string{b.program(t, c.source)}, c.args...)
			k := count(t, instrumented.Settings{Records: 1}, period, preload, argv...)
			k.exact(t)
			k.sound(t)
			if len(k.records) == 0 {
				t.Error("there is no record")
			}
		})
	}
}

// TestLinked counts a program that is linked with the library, both ways.
func TestLinked(t *testing.T) {
	b := build(t)
	for name, options := range map[string][]string{
		"static":         {b.static},
		"shared":         {"-L" + b.dir, "-lebb-functions", "-Wl,-rpath," + b.dir},
		"all static":     {"-static", b.static},
		"optimised most": {"-O3", b.static},
	} {
		t.Run(name, func(t *testing.T) {
			program := b.program(t, "plain.c", options...)
			k := count(t, instrumented.Settings{}, period, nil, program, "20000")
			k.exact(t)
			k.sound(t)
			if len(k.records) < 4 {
				t.Errorf("%d functions have records", len(k.records))
			}
		})
	}
}

// TestLoaded counts a library that the program loads while it runs.
func TestLoaded(t *testing.T) {
	b := build(t)
	library := b.program(t, "plugin.c", "-shared", "-fPIC")
	k := count(t, instrumented.Settings{}, period, []string{"LD_PRELOAD=" + b.shared},
		b.program(t, "loads.c", "-ldl"), library)
	k.exact(t)
	k.sound(t)
}

// TestWithoutEbb runs a linked program alone.
func TestWithoutEbb(t *testing.T) {
	b := build(t)
	run(t, exec.Command(b.program(t, "plain.c", b.static)))
}

// TestWarmUp counts all calls and makes no record before the first period.
func TestWarmUp(t *testing.T) {
	b := build(t)
	k := count(t, instrumented.Settings{}, 0, []string{"LD_PRELOAD=" + b.shared},
		b.program(t, "plain.c"), "20000")
	k.exact(t)
	if len(k.records) != 0 {
		t.Errorf("%d functions have records", len(k.records))
	}
}

// TestOnePeriod: at most as many records as are asked for.
func TestOnePeriod(t *testing.T) {
	b := build(t)
	for _, records := range []uint32{1, 3} {
		k := count(t, instrumented.Settings{Records: records, Pick: instrumented.FirstCall},
			time.Hour,
			[]string{"LD_PRELOAD=" + b.shared}, b.program(t, "plain.c"), "20000")
		k.exact(t)
		for f, list := range k.records {
			if len(list) > int(records) {
				t.Errorf("function %#x has %d records, not %d", f.address, len(list), records)
			}
		}
		if len(k.records) < 5 {
			t.Errorf("%d functions of 5 have a record", len(k.records))
		}
	}
}

// TestGroups: in one period one group of two has its turn, whichever way they are made.
func TestGroups(t *testing.T) {
	b := build(t)
	program := b.program(t, "plain.c", "-rdynamic")
	for _, by := range []instrumented.Grouping{instrumented.ByAddress, instrumented.ByName,
		instrumented.ByChance} {
		profiled := map[uint64]bool{}
		all := 0
		for first := range uint32(2) {
			// The library counts periods from the one that it finds.
			s := instrumented.Settings{Groups: 2, Grouping: by, Seed: 1}
			k := countIn(t, s, first+1, b.shared, program)
			for f := range k.calls {
				all = max(all, len(k.calls))
				if len(k.records[f]) > 0 {
					place := f.address & 0xfff // the rest differs from run to run
					if by == instrumented.ByAddress && profiled[place] {
						t.Errorf("function ...%x is in both groups", place)
					}
					profiled[place] = true
				}
			}
			if by == instrumented.ByAddress && len(k.records) == len(k.calls) {
				t.Errorf("all %d functions are in one group", len(k.calls))
			}
		}
		if by != instrumented.ByChance && len(profiled) != all { // chance differs with the address
			t.Errorf("grouping %d: %d of %d functions had their turn", by, len(profiled), all)
		}
	}
}

// TestTooManyThreads: those that find no place run on, and are counted.
func TestTooManyThreads(t *testing.T) {
	devtest.Long(t)
	b := build(t)
	k := count(t, instrumented.Settings{}, period, []string{"LD_PRELOAD=" + b.shared},
		b.program(t, "threads.c"), "600", "1", "200000")
	if k.totals.Refused == 0 && k.totals.Threads > instrumented.Segments {
		t.Errorf("%d threads were counted, and %d refused", k.totals.Threads, k.totals.Refused)
	}
	k.sound(t)
}

// TestCountersAreClosed: threads that end leave no descriptor of their counters, so that more
// threads than the program may have descriptors can count one after the other.
func TestCountersAreClosed(t *testing.T) {
	b := build(t)
	e, _ := calls.Event("page-faults") // any kernel counts it
	const together, rounds = 2, 500
	k := count(t, instrumented.Settings{Events: []instrumented.Event{e, e}}, period,
		[]string{"LD_PRELOAD=" + b.shared}, "sh", "-c", `ulimit -n 950 && exec "$@"`, "sh",
		b.program(t, "threads.c"), fmt.Sprint(together), fmt.Sprint(rounds), "10")
	switch n := k.totals.NoCounter; {
	case n >= together*rounds:
		t.Skip("the kernel opens no counters here")
	case n > 0:
		t.Errorf("%d threads had no counters", n)
	}
	k.exact(t)
}

// TestRecordTimes compares a record of main with the program's own life.
func TestRecordTimes(t *testing.T) {
	b := build(t)
	began := time.Now()
	k := count(t, instrumented.Settings{}, time.Hour, []string{"LD_PRELOAD=" + b.shared},
		b.program(t, "plain.c"), "400000")
	whole := time.Since(began)
	var longest instrumented.Record
	for _, list := range k.records {
		for _, r := range list {
			if r.End-r.Begin > longest.End-longest.Begin {
				longest = r
			}
		}
	}
	if d := time.Duration(longest.End - longest.Begin); d > whole || longest.CPU == 0 {
		t.Errorf("main took %v in a life of %v, with %d ns of CPU time", d, whole, longest.CPU)
	}
}

// TestSwitches: records have all switches of their thread in an invocation, and no others.
func TestSwitches(t *testing.T) {
	b := build(t)
	k := count(t, instrumented.Settings{Pick: instrumented.FirstCall, Records: 1 << 31}, time.Hour,
		[]string{"LD_PRELOAD=" + b.shared}, b.program(t, "sleeps.c"), "400")
	said := map[uint64]uint64{}
	var functions []function // the functions that are called, the one that sleeps first
	for f, calls := range k.own {
		if said[f.address] = calls; f.address > 3 {
			functions = append(functions, f)
		}
	}
	var found [2]uint64
	slices.SortFunc(functions, func(x, y function) int { return cmp.Compare(x.address, y.address) })
	for i, f := range functions {
		if len(k.records[f]) != 400 {
			t.Fatalf("function %#x has %d records", f.address, len(k.records[f]))
		}
		for _, r := range k.records[f] {
			found[i] += uint64(r.Switches)
		}
	}
	if found[0] < found[1] {
		found[0], found[1] = found[1], found[0]
	}
	if said[1] == 0 || found[0] < said[1] || found[0] > said[2] || found[1] > said[3] {
		t.Errorf("%d switches where the kernel counts %d within the calls and %d around them; %d "+
			"where it counts %d", found[0], said[1], said[2], found[1], said[3])
	}
}
