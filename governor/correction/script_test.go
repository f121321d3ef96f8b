package correction

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/predictor"
	"github.com/ebb-energy/ebb/units"
)

// TestScripts runs the scripts in testdata: quanta of a program whose truth is known, each with a
// Corrector's lesson. README.md there has the commands.
func TestScripts(t *testing.T) {
	devtest.RunScripts(t, func() devtest.ScriptCommand { return newScripted().command })
}

const (
	quantum = 10 * time.Millisecond
	budget  = units.Slowdown(0.05)
)

var span = Range{Lowest: 1e9, Highest: 4e9, Reach: 4e9}

// scripted is a Corrector and the program it sees. The program runs one thread.
type scripted struct {
	c                       *Corrector
	p                       *predictor.Predictor
	learns                  bool
	compute                 float64 // cycles per instruction
	wait, hidden            float64 // ns per instruction that no clock changes, seen and not seen
	stalled, occupied, read float64 // the counters, in shares of wait; requests per instruction
	at                      int64
	view                    View // of the last quantum
}

func newScripted() *scripted {
	return &scripted{learns: true, compute: 1, stalled: 1, occupied: 1, at: 1e9}
}

func (s *scripted) command(word string, args map[string]string) (string, error) {
	switch word {
	case "config":
		_, off := args["off"]
		s.learns = !off
		return "", nil
	case "program":
		return "", s.program(args)
	case "quantum":
		return s.quantum(args)
	}
	return "", fmt.Errorf("unknown command %q", word)
}

func (s *scripted) program(args map[string]string) (err error) {
	for k, v := range args {
		field := map[string]*float64{"compute": &s.compute, "wait": &s.wait, "hidden": &s.hidden,
			"stalled": &s.stalled, "occupied": &s.occupied, "reads": &s.read}[k]
		if field == nil {
			return fmt.Errorf("unknown property %q", k)
		}
		if *field, err = strconv.ParseFloat(v, 64); err != nil {
			return err
		}
	}
	return nil
}

// perInstruction is what an instruction takes at a clock in truth, ns.
func (s *scripted) perInstruction(clock units.Frequency) float64 {
	return s.compute*1e9/float64(clock) + s.wait + s.hidden
}

// quantum runs the program at a clock and decides on another, a number of times. It prints the last
// one's lesson.
func (s *scripted) quantum(args map[string]string) (out string, err error) {
	if s.c == nil {
		c := NewCorrector(s.learns, false, false)
		s.c = &c
		s.p, err = predictor.New(predictor.Config{Estimator: "bracket"},
			[]string{"stall_off", "occ_off", "sq_full", "rfo_off"})
		if err != nil {
			return "", err
		}
	}
	var clock, then units.Frequency
	if err := clock.UnmarshalText([]byte(args["at"])); err != nil {
		return "", err
	}
	then = clock
	if next := args["then"]; next != "" {
		if err := then.UnmarshalText([]byte(next)); err != nil {
			return "", err
		}
	}
	times := 1
	if n := args["times"]; n != "" {
		if times, err = strconv.Atoi(n); err != nil {
			return "", err
		}
	}
	_, hole := args["hole"]
	for i := range times {
		var probe bool
		if out, probe = s.decide(clock, then, hole); probe && i < times-1 {
			return fmt.Sprintf("quantum %d: %s", i+1, out), nil
		}
	}
	return out, nil
}

// decide is one quantum at a clock, after which then is chosen.
func (s *scripted) decide(clock, then units.Frequency, hole bool) (out string, probe bool) {
	n := float64(quantum) / s.perInstruction(clock)
	e := epochs.Epoch{Start: epochs.Ticks(s.at), Dur: epochs.Ticks(quantum),
		Rows: []epochs.Row{{Thread: 1,
			Values: []int64{int64(n * s.wait * s.stalled), int64(n * s.wait * s.occupied), 0, 0}}}}
	s.at += int64(quantum)
	s.p.Reset()
	s.p.Add(&e, clock)
	q := Quantum{Dur: quantum, Busy: quantum, ThreadRun: quantum, Instructions: uint64(n),
		DRAMReads: uint64(n * s.read), Base: float64(clock), Steady: true, Hole: hole}
	l := s.c.Learn(&q, s.p, &span)
	v := s.c.View(&q, s.p, &span)
	s.view = v
	probe = s.c.Probe(&q, s.p, then, span.Highest, budget)
	s.c.Decided(&q, then, v.Duration(then))

	var b strings.Builder
	fmt.Fprintf(&b, "alpha %.2f", l.Alpha)
	if l.Compared {
		fmt.Fprintf(&b, ", error %+.1f %%", 100*l.Error)
	}
	fmt.Fprintf(&b, ", bias %+.3f, doubt %.3f;", l.Bias, l.Doubt)
	for _, f := range []units.Frequency{2e9, 4e9} {
		fmt.Fprintf(&b, " %v: %.2f ms (in truth %.2f)", f, v.Duration(f)/1e6,
			n*s.perInstruction(f)/1e6)
	}
	if probe {
		b.WriteString("; probe")
	}
	return b.String() + "\n", probe
}
