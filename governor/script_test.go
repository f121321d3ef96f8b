package governor_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/policy"
	"github.com/ebb-energy/ebb/predictor"
	"github.com/ebb-energy/ebb/predictor/nonscaling"
	"github.com/ebb-energy/ebb/units"
)

// TestScripts runs the scripts in testdata: events, each with the governor's response. README.md
// there has the commands.
func TestScripts(t *testing.T) {
	devtest.RunScripts(t, func() devtest.ScriptCommand { return newScripted().command })
}

// scripted is a governor and the slices that are open.
type scripted struct {
	cfg  governor.Config
	g    *governor.Governor
	from map[epochs.TID]units.Instant
}

func newScripted() *scripted {
	return &scripted{from: map[epochs.TID]units.Instant{}, cfg: governor.Config{
		Objective: governor.Slowdown, Slowdown: 0.05, Rule: policy.Even,
		Quantum: 5 * time.Millisecond, HoldOff: 1,
		States:    []units.Frequency{1e9, 2e9, 3e9, 4e9},
		Predictor: predictor.Config{Estimator: "none"},
	}}
}

func (s *scripted) command(word string, args map[string]string) (string, error) {
	if word == "config" {
		return "", s.configure(args)
	}
	if s.g == nil {
		g, err := governor.New(s.cfg)
		if err != nil {
			return "", err
		}
		s.g = g
	}
	ev, err := s.event(word, args)
	if err != nil {
		return "", err
	}
	return printActions(s.g.Step(ev, nil)), nil
}

func (s *scripted) configure(args map[string]string) (err error) {
	for k, v := range args {
		switch k {
		case "hold-off":
			s.cfg.HoldOff, err = strconv.Atoi(v)
		case "budget":
			err = s.cfg.Slowdown.UnmarshalText([]byte(v))
		case "shadow":
			s.cfg.Shadow = true
		case "rule":
			s.cfg.Rule = policy.Rule(v)
		case "fixed":
			s.cfg.Objective = governor.Fixed
			err = s.cfg.Frequency.UnmarshalText([]byte(v))
		case "machine":
			m := nonscaling.DefaultLatencies()
			s.cfg.Predictor.Latencies = &m
		case "counters":
			s.cfg.Counters = strings.Split(v, ",")
			s.cfg.Predictor.Estimator = ""
		default:
			err = fmt.Errorf("unknown setting %q", k)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

var kinds = map[string]epochs.Kind{"on": epochs.On, "off": epochs.Off, "slice": epochs.Slice,
	"fork": epochs.Fork, "exit": epochs.Exit, "lost": epochs.Lost, "tick": epochs.Tick}

var causes = map[string]epochs.Cause{"woken": epochs.Woken, "started": epochs.Started,
	"resumed": epochs.Resumed, "seen": epochs.Seen,
	"futex": epochs.FutexSleep, "other": epochs.OtherSleep, "preempted": epochs.Preempted,
	"exited": epochs.Exited}

func (s *scripted) event(name string, args map[string]string) (*governor.Event, error) {
	at, err := time.ParseDuration(args["at"])
	if err != nil {
		return nil, err
	}
	ev := governor.Event{At: units.Instant(at)}
	if f := args["f"]; f != "" {
		if err := ev.Frequency.UnmarshalText([]byte(f)); err != nil {
			return nil, err
		}
	}
	switch name {
	case "begin":
		ev.Kind = governor.Begin
	case "applied":
		ev.Kind, ev.Refusal = governor.Applied, args["refused"]
	case "metered":
		ev.Kind = governor.Metered
		err = ev.Package.UnmarshalText([]byte(args["e"]))
	case "traffic":
		ev.Kind = governor.Traffic
		if ev.Reads, err = strconv.ParseUint(args["r"], 10, 64); err == nil {
			ev.Writes, err = strconv.ParseUint(args["w"], 10, 64)
		}
	case "overhead":
		ev.Kind = governor.Overhead
		if ev.Displaced, err = time.ParseDuration(args["displaced"]); err == nil {
			ev.Traced, err = time.ParseDuration(args["traced"])
		}
	case "held":
		ev.Kind = governor.Held
	case "ending":
		ev.Kind = governor.Ending
	case "end":
		ev.Kind = governor.End
	default:
		ev.Kind = governor.Sched
		ev.Sched, err = s.schedEvent(name, ev.At, args)
	}
	return &ev, err
}

func (s *scripted) schedEvent(
	name string, at units.Instant, args map[string]string,
) (epochs.Event, error) {
	ev := epochs.Event{Kind: kinds[name], At: at, Thread: epochs.NoThread, By: epochs.NoThread}
	if ev.Kind == 0 {
		return ev, fmt.Errorf("unknown command %q", name)
	}
	number := func(key string) int {
		n, err := strconv.Atoi(args[key])
		if err != nil {
			return -1
		}
		return n
	}
	ev.Thread, ev.By, ev.CPU = epochs.TID(number("t")), epochs.TID(number("by")), int16(max(0,
		number("cpu")))
	ev.Cause = causes[args["cause"]]
	switch ev.Kind {
	case epochs.On:
		s.from[ev.Thread] = at
	case epochs.Off, epochs.Slice:
		ev.From = s.from[ev.Thread]
		s.from[ev.Thread] = at
		for i, c := range strings.Split(args["c"], ",") {
			if v, err := strconv.ParseUint(c, 10, 64); err == nil {
				ev.Counters[i] = v
			}
		}
	case epochs.Lost:
		ev.Count = uint64(number("n"))
	}
	return ev, nil
}

func printActions(actions []governor.Action) string {
	var b strings.Builder
	for _, a := range actions {
		if a.Kind == governor.SetFrequency {
			fmt.Fprintf(&b, "set %v\n", a.Frequency)
			continue
		}
		q := a.Quantum
		fmt.Fprintf(&b, "quantum %v+%v at %v: %d epochs, busy %v, run %v, max %.0fns, ",
			time.Duration(q.Start), q.Dur, q.Delivered, q.Epochs, q.Busy, q.ThreadRun, q.Max)
		fmt.Fprintf(&b, "in effect %v, chose %v (%s), slack %v", q.Effective, q.Chosen, q.Reason,
			q.Slack)
		for _, f := range []struct {
			set  bool
			name string
		}{{q.Own != 0, fmt.Sprint("own ", q.Own)}, {q.Hole, "hole"}, {q.Stale, "stale"},
			{q.Compared, fmt.Sprintf("error %+.4f", q.Error)},
			{q.Bias != 0, fmt.Sprintf("bias %+.4f", q.Bias)},
			{q.Lost > 0, fmt.Sprintf("%d lost", q.Lost)}} {
			if f.set {
				b.WriteString(", " + f.name)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}
