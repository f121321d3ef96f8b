package vesta

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// metered is a table as CSV of four programs, whose power is base + 3 times the busy share. An
// input that is named as flat never changes.
func metered(seed uint64, base float64, inputs []string, flat string) []byte {
	r := rand.New(rand.NewPCG(seed, 2))
	var b bytes.Buffer
	fmt.Fprintf(&b, "# {}\nprogram,power_w,%s\n", strings.Join(inputs, ","))
	for p := range 4 {
		for range 60 {
			busy := 100 * r.Float64()
			fmt.Fprintf(&b, "p%d,%v", p, base+3*busy+r.NormFloat64())
			for _, name := range inputs {
				x := 100 * r.Float64()
				switch name {
				case "cpu_user":
					x = busy
				case flat:
					x = 0
				}
				fmt.Fprintf(&b, ",%v", x)
			}
			b.WriteString("\n")
		}
	}
	return b.Bytes()
}

// TestCompare: in a setting with the same physics the first one's model misses about as little as
// its own; where the machine draws more for the same work it misses by that, and the setting's own
// model does not.
func TestCompare(t *testing.T) {
	in := []string{"cpu_user", "contexts", "jvm_gc_count"}
	all, leftOut, err := ReadAlike([]Source{{"g1", metered(1, 60, in, "")},
		{"again", metered(2, 60, in, "jvm_gc_count")}, {"zgc", metered(3, 105, in, "")}},
		"power_w", "program", "jvm")
	if err != nil || len(leftOut) != 0 {
		t.Fatal(err, leftOut)
	}
	if n := len(all[1].Own.Inputs); n != 2 || len(all[1].Alike.Inputs) != 3 {
		t.Errorf("inputs %v and %v", all[1].Own.Inputs, all[1].Alike.Inputs)
	}
	last := 0
	out, err := Compare(t.Context(), all, 2, 1, func(done, of int) {
		if last++; done != last || of != 24 {
			t.Errorf("%d of %d after %d", done, of, last)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range out {
		if l.Intervals != 240 || len(l.Own) != 2 || (len(l.Taken) == 0) != (i == 0) {
			t.Fatalf("%+v", l)
		}
		for _, m := range l.Own {
			if m.Mean > 0.02 || m.Programs != 4 {
				t.Errorf("%s of its own: %+v", l.Configuration, m)
			}
		}
	}
	// A mean program draws 210 W in the first setting and 255 W in the last, of which its model
	// misses 45 W.
	for i := range compared {
		if m := out[1].Taken[i]; m.Mean > 0.02 {
			t.Errorf("again: %+v", m)
		}
		m := out[2].Taken[i]
		if m.Mean < 0.15 || m.Mean > 0.2 || m.Worst < m.Mean || m.Deviation <= 0 ||
			!strings.HasPrefix(m.Program, "p") || m.Programs != 4 {
			t.Errorf("zgc: %+v", m)
		}
	}
}

// TestReadAlike: inputs that a table lacks are left out of the common ones and named, and events
// alone are what the paper's models see.
func TestReadAlike(t *testing.T) {
	here := metered(1, 60, []string{"cpu_user", "contexts", "jvm_gc_depth"}, "")
	there := metered(2, 60, []string{"jvm_gc_depth", "cpu_user"}, "")
	all, leftOut, err := ReadAlike([]Source{{"here", here}, {"there", there}}, "power_w", "program",
		"all")
	if err != nil || !slices.Equal(leftOut, []string{"contexts"}) ||
		!slices.Equal(all[1].Alike.Inputs, []string{"cpu_user", "jvm_gc_depth"}) {
		t.Errorf("%v %v %+v", err, leftOut, all)
	}
	events, err := Read(bytes.NewReader(here), "power_w", "program", Events)
	if err != nil || !slices.Equal(events.Inputs, []string{"jvm_gc_depth"}) ||
		len(events.Columns) != 1 {
		t.Errorf("%v %+v", err, events)
	}
	for name, sources := range map[string][]Source{
		"nothing in common": {{"here", here}, {"x", metered(1, 1, []string{"wakeups"}, "")}},
		"no power":          {{"here", here}, {"x", []byte("program,cpu_user\np,1\n")}},
		"empty":             {{"here", here}, {"x", nil}},
	} {
		if _, _, err := ReadAlike(sources, "power_w", "program", "all"); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	none := metered(1, 60, []string{"cpu_user"}, "")
	if _, err := Read(bytes.NewReader(none), "power_w", "program", Events); err == nil {
		t.Error("a table without events was accepted")
	}
}
