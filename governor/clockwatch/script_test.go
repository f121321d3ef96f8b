package clockwatch

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/units"
)

// TestScripts runs the scripts in testdata: quanta, each with a Watch's answer. README.md there has
// the commands.
func TestScripts(t *testing.T) {
	devtest.RunScripts(t, func() devtest.ScriptCommand { return newScripted().command })
}

const quantum = 10 * time.Millisecond

// scripted is a Watch and what was asked for.
type scripted struct {
	cfg      Config
	w        *Watch
	at       units.Instant // the end of the last quantum
	asked    units.Frequency
	answered units.Instant
}

func newScripted() *scripted {
	return &scripted{at: units.Instant(time.Second),
		cfg: Config{States: []units.Frequency{1e9, 2e9, 3e9, 4e9}, MayTry: true}}
}

func (s *scripted) command(word string, args map[string]string) (out string, err error) {
	if word == "config" {
		return "", s.configure(args)
	}
	if s.w == nil {
		w := New(s.cfg)
		s.w = &w
	}
	switch word {
	case "ask": // heard and done at once
		s.answered = s.at
		return "", s.asked.UnmarshalText([]byte(args["f"]))
	case "asking": // heard, and not yet done
		s.answered = 0
		return "", s.asked.UnmarshalText([]byte(args["f"]))
	case "quantum":
		times := 1
		if n := args["times"]; n != "" {
			if times, err = strconv.Atoi(n); err != nil {
				return "", err
			}
		}
		for range times {
			line, err := s.quantum(args)
			if err != nil {
				return "", err
			}
			out += line
		}
		return out, nil
	}
	return "", fmt.Errorf("unknown command %q", word)
}

func (s *scripted) configure(args map[string]string) (err error) {
	for k, v := range args {
		switch k {
		case "fixed":
			s.cfg.MayTry = false
		case "settle":
			s.cfg.Settle, err = time.ParseDuration(v)
		default:
			err = fmt.Errorf("unknown setting %q", k)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// quantum runs the requested state, or the one that the Watch wants instead.
func (s *scripted) quantum(args map[string]string) (string, error) {
	q := Quantum{Start: s.at, Dur: quantum, Asked: s.asked, Answered: s.answered,
		Counted: Counted{Ratio: 1}}
	_, q.Held = args["held"]
	s.at = s.at.Add(quantum)
	var counted, reported units.Frequency
	if err := counted.UnmarshalText([]byte(args["counted"])); err != nil {
		return "", err
	}
	reported = s.asked
	if r := args["reported"]; r != "" {
		if err := reported.UnmarshalText([]byte(r)); err != nil {
			return "", err
		}
	}
	if _, hole := args["hole"]; !hole {
		q.Counted = Counted{Known: true, Clock: float64(counted), Reported: float64(reported)}
	}
	if r := args["short"]; r != "" {
		var share units.Ratio
		if err := share.UnmarshalText([]byte(r)); err != nil {
			return "", err
		}
		q.Counted.Short = float64(share)
	}
	return s.look(&q, float64(counted)), nil
}

// look shows the quantum to the Watch. Each quantum with a slow clock costs 1 ms.
func (s *scripted) look(q *Quantum, base float64) string {
	a := s.w.Look(q)
	var b strings.Builder
	fmt.Fprintf(&b, "%v, reach %v", s.w.stage, s.w.Reach(base))
	switch a.Finding {
	case Unheeded, Heeded, Limited:
		name := [...]string{Unheeded: "unheeded", Heeded: "heeded", Limited: "limited"}[a.Finding]
		fmt.Fprintf(&b, ", %s (%v, reported %v)", name, a.Clock, a.Reported)
	}
	if a.Insist {
		b.WriteString(", insists")
	}
	if s.w.Suspends() {
		s.w.Suspend(1)
		b.WriteString(", suspends 1 ms")
	} else if ms := s.w.Owed(); ms > 0 {
		fmt.Fprintf(&b, ", owes %v ms", ms)
	}
	if f, why := s.w.Override(s.asked); why != Keep {
		name := [...]string{Trial: "to find out", Unlimited: "the limit anyway",
			Check: "to check"}[why]
		fmt.Fprintf(&b, ", next %v (%s)", f, name)
	}
	return b.String() + "\n"
}
