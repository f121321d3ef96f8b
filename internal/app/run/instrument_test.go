package run

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/app/run/part"
)

// noted is an instrument that writes down what happens to it.
type noted struct {
	part.Passive
	name string
	log  *[]string
}

func (n *noted) note(what string) { *n.log = append(*n.log, what+" "+n.name) }

func (n *noted) Finish(context.Context, *report.Report) error {
	n.note("finish")
	return nil
}

func (n *noted) Close() error {
	n.note("close")
	if n.name == "broken" {
		panic("broken on purpose")
	}
	return nil
}

// held is an actuator that only gives back.
type held struct {
	cpufreq.Actuator
	log *[]string
}

func (h *held) Close() (cpufreq.Restoration, error) {
	*h.log = append(*h.log, "put back")
	return cpufreq.Restoration{}, errors.New("refused")
}

// TestFrequenciesComeFirst: they are put back once, before the first instrument finishes or closes;
// then instruments finish in order and close in the reverse order, and none that breaks stops the
// others.
func TestFrequenciesComeFirst(t *testing.T) {
	want := []string{"put back", "back", "finish a", "finish broken", "finish c", "close c",
		"close broken", "close a"}
	for _, concluded := range []bool{true, false} {
		var log []string
		r := &run{Run: part.Run{Actuator: &held{log: &log}}, end: end{unwatch: func() {},
			reached: func() { log = append(log, "back") }}}
		for _, name := range []string{"a", "broken", "c"} {
			r.Use(part.Totals, &noted{name: name, log: &log})
		}
		expected := want
		if concluded {
			r.putBack()
			if err := r.conclude(); err != nil {
				t.Error(err)
			}
		} else { // as when the target could not be started
			expected = append(want[:2:2], want[5:]...)
		}
		err := r.close()
		if err == nil || !strings.Contains(err.Error(), "refused") ||
			!strings.Contains(err.Error(), "sudo ebb restore") ||
			!strings.Contains(err.Error(), "panic: broken on purpose") {
			t.Errorf("concluded %t: %v", concluded, err)
		}
		if !slices.Equal(log, expected) {
			t.Errorf("concluded %t: %q, want %q", concluded, log, expected)
		}
	}
}

// TestPhases: an instrument finishes behind those of earlier phases, whenever it was opened, and
// behind those of its own that were opened before it.
func TestPhases(t *testing.T) {
	var log []string
	r := &run{end: end{unwatch: func() {}, reached: func() {}}}
	for _, o := range []struct {
		phase part.Phase
		name  string
	}{{part.Filed, "file"}, {part.Checked, "check"}, {part.Totals, "a"},
		{part.Divided, "methods"}, {part.Totals, "b"}} {
		r.Use(o.phase, &noted{name: o.name, log: &log})
	}
	if err := r.finish(); err != nil {
		t.Fatal(err)
	}
	want := []string{"finish a", "finish b", "finish methods", "finish check", "finish file"}
	if !slices.Equal(log, want) {
		t.Errorf("%q, want %q", log, want)
	}
}

// TestAbandonedEndKeepsWhatIsOpen: what an end that was given up still uses is not closed under it.
func TestAbandonedEndKeepsWhatIsOpen(t *testing.T) {
	var log []string
	r := &run{Run: part.Run{Actuator: &held{log: &log}},
		end: end{unwatch: func() {}, reached: func() {}}}
	r.Use(part.Totals, &noted{name: "a", log: &log})
	r.end.abandoned.Store(true)
	if err := r.close(); err == nil {
		t.Error("the error of putting back is lost")
	}
	if want := []string{"put back"}; !slices.Equal(log, want) {
		t.Errorf("%q, want %q", log, want)
	}
}

// broken is an instrument that does not start.
type broken struct{ noted }

func (b *broken) Start([]string) ([]string, error) {
	b.note("start")
	return nil, errors.New("no meter")
}

// TestReadyBeforeMeters: a command's meters are read first when nothing begins beside it any more,
// else it would have the energy of the sandbox child's start. A target that runs is not kept.
func TestReadyBeforeMeters(t *testing.T) {
	for command, want := range map[string][]string{"true": {"ready", "start a"},
		"": {"start a"}} {
		var log []string
		r := &run{Run: part.Run{Ready: func() { log = append(log, "ready") },
			Instruments: []part.Used{{Instrument: &broken{noted{name: "a", log: &log}}}}}}
		var argv []string
		if command != "" {
			argv = []string{command}
		}
		if err := r.start(context.Background(), argv); err == nil || !slices.Equal(log, want) {
			t.Errorf("%q: %q, %v; want %q", command, log, err, want)
		}
	}
}
