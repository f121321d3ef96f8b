package qualify

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func at95(x float64) *Interval {
	lo, hi := x-0.005, x+0.005
	return &Interval{Estimate: x, Lo: &lo, Hi: &hi, N: 5}
}

// sound is the result of a machine on which everything holds.
func sound() *Result {
	budget, joules, high, low := 0.05, int64(5e9), 0.8, 0.01
	rows := []Row{{Setting: "4GHz", Kind: "static", Hz: 4e9, EnergyNJ: &joules, Slowdown: at95(0),
		Energy: at95(0)}, {Setting: "ebb 5%", Kind: "slowdown", Budget: &budget,
		EnergyNJ: &joules, Slowdown: at95(0.04), Energy: at95(-0.1)}}
	idle := []Row{rows[0], {Setting: "ebb 5%", Kind: "slowdown", Budget: &budget,
		Energy: at95(0.001), Slowdown: at95(0)}}
	return &Result{Format: Format, Plan: NewPlan(Quick, 0, 0, 0, nil), Steps: []Step{
		{Number: 1, State: Finished, There: &There{}},
		{Number: 2, State: Finished, Requests: &Requests{Source: "cycles", LowHz: 1e9, HighHz: 4e9,
			Ratio: 3.98, Asked: 4, Settled: 60, P50NS: 300e3, P99NS: 600e3,
			Domains: []DomainTried{{ID: 0, Ratio: 4, Asked: 4, Tried: 1},
				{ID: 1, Ratio: 4, Asked: 4, Tried: 1}},
			Busy: []BusyCores{{Busy: 1, Relative: 1}, {Busy: 8, Relative: 0.99}}}},
		{Number: 3, State: Finished, Counters: &Counters{Programs: []Counted{
			{Program: Compute, Hz: 1e9, RunNS: 1e9, Known: 2e9, Instructions: 2.001e9, Cycles: 1e9,
				Stalled: &low},
			{Program: Memory, Hz: 4e9, RunNS: 1e9, Instructions: 1e9, Cycles: 4e9,
				Stalled: &high}},
			Memory: &Streamed{Source: "uncore_imc", Known: 1e9, Read: 1.01e9}}},
		{Number: 4, State: Finished, Meters: &Meters{Meters: []Meter{
			{Name: "RAPL", Scope: "package", Follows: 0.99, Loads: []Load{{Busy: 0}, {Busy: 1}}},
			{Name: "plug", Scope: "machine", Follows: 0.98, Loads: []Load{{Busy: 0},
				{Busy: 1}}}},
			Against: []Compared{{Of: "RAPL", With: "plug", Slope: 0.8, N: 5}}}},
		{Number: 5, State: Finished, Predictions: &Predictions{Errors: []ModelError{
			{Model: defaultModel, Program: Compute, FromHz: 1e9, ToHz: 4e9, Percent: -3}}}},
		{Number: 6, State: Finished, Comparisons: []Comparison{{Program: Memory, Condition: Alone,
			Rounds: 5, Source: measured, Rows: rows,
			Against: []Versus{{Of: "ebb 5%", With: "2GHz", Energy: at95(0.01)}}}}},
		{Number: 7, State: Finished, Comparisons: []Comparison{{Program: Resting, Condition: Alone,
			Rounds: 5, Source: measured, Rows: idle}}},
		{Number: 8, State: Finished, Killed: &Killed{Governing: true, BackNS: 3e6,
			By: "guardian"}},
	}}
}

// limited is a comparison under a quota that held the program back for so long.
func limited(held time.Duration, slowdown float64) Comparison {
	ns, budget := int64(held), 0.05
	return Comparison{Program: Memory, Condition: Limited, Rounds: 3, Source: measured, HeldNS: &ns,
		Rows: []Row{{Setting: "ebb 5%", Budget: &budget, Slowdown: at95(slowdown)}}}
}

// TestJudge changes one finding of a sound machine at a time.
func TestJudge(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Result)
		answer Answer
		says   string // in a check that is not Believe, or in the sentence
	}{
		{"sound", func(*Result) {}, Believe, "every check holds"},
		{"requests are ignored", func(r *Result) { r.Step(2).Requests.Ratio = 1 }, Not,
			"1.00 to 1"},
		{"slow clocks", func(r *Result) { r.Step(2).Requests.P99NS = 8e6 }, Within, "within 8 ms"},
		{"a clock that often ignores requests", func(r *Result) {
			q := r.Step(2).Requests
			q.Settled, q.P50NS, q.P99NS, q.Missed, q.Trouble = 0, 0, 0, 30, "30 of 60 had not"
		}, Within, "30 of 60 had not"},
		{"a clock whose settling nobody sees", func(r *Result) {
			q := r.Step(2).Requests
			q.Settled, q.P50NS, q.P99NS, q.Trouble = 0, 0, 0, "it repeats each request"
		}, Within, "what could not be checked is the limit"},
		{"domains that could not be tried", func(r *Result) { r.Step(2).Requests.Of = 8 }, Within,
			"yes: 2 of 8 tried"},
		{"a domain beside which none was watched", func(r *Result) {
			r.Step(2).Requests.Of, r.Step(2).Requests.Domains[1].Tried = 2, 0
		}, Within, "yes: 1 of 2 tried"},
		{"no domain could be tried", func(r *Result) {
			r.Step(2).Requests.Of, r.Step(2).Requests.Domains = 8, nil
		}, Within, "what could not be checked is the limit"},
		{"more domains than are tried", func(r *Result) {
			q := r.Step(2).Requests
			for q.Of = 64; len(q.Domains) < MostDomains; {
				q.Domains = append(q.Domains, q.Domains[0])
			}
		}, Believe, "every check holds"},
		{"cores that could not be kept busy", func(r *Result) {
			r.Step(2).Requests.Busy[1].Asked = 16
		}, Within, "what could not be checked is the limit"},
		{"coupled domains", func(r *Result) { r.Step(2).Requests.Domains[1].With = []int{0} },
			Within, "policy0 moves with policy1"},
		{"a deaf domain", func(r *Result) { r.Step(2).Requests.Domains[1].Ratio = 1 }, Not,
			"policy1 does not follow"},
		{"all cores lower the clock", func(r *Result) { r.Step(2).Requests.Busy[1].Relative = 0.8 },
			Within, "80.0 % of it with 8"},
		{"instructions count double", func(r *Result) {
			r.Step(3).Counters.Programs[0].Instructions *= 2
		}, Not, "+100.1 %"},
		{"cycles count double", func(r *Result) { r.Step(3).Counters.Programs[1].Cycles *= 2 }, Not,
			"memory at 4.00 GHz: 8.00 GHz"},
		{"all cycles count double", func(r *Result) {
			r.Step(1).There.Turbo = "on"
			for i := range r.Step(3).Counters.Programs {
				r.Step(3).Counters.Programs[i].Cycles *= 2
			}
		}, Not, "+100.0 %"},
		{"cycles count half", func(r *Result) {
			for i := range r.Step(3).Counters.Programs {
				r.Step(3).Counters.Programs[i].Cycles /= 2
			}
		}, Not, "-50.0 %"},
		{"a server's nominal clock with turbo", func(r *Result) {
			r.Step(1).There.Turbo = "on"
			r.Step(3).Counters.Programs[1].Cycles *= 3
			r.Step(3).Counters.Programs[1].Cycles /= 2
		}, Within, "+50.0 % at 4.00 GHz: not each clock"},
		{"a laptop on battery", func(r *Result) { r.Step(3).Counters.Programs[1].Cycles /= 2 },
			Within, "-50.0 % at 4.00 GHz: not each clock"},
		{"a lowest clock that the firmware raises", func(r *Result) {
			r.Step(3).Counters.Programs[0].Cycles *= 2
		}, Within, "+100.0 % at 1.00 GHz and"},
		{"a lowest clock of too few cycles", func(r *Result) {
			r.Step(3).Counters.Programs[0].Cycles /= 2
		}, Not, "-50.0 %"},
		{"a guest that has counters and no clock", func(r *Result) {
			for i := range r.Step(3).Counters.Programs {
				r.Step(3).Counters.Programs[i].Hz = 0
			}
		}, Within, "they are counted, but no clock"},
		{"stalls do not show", func(r *Result) { *r.Step(3).Counters.Programs[1].Stalled = 0.02 },
			Not, "2.0 % of the cycles"},
		{"a channel counts double", func(r *Result) { r.Step(3).Counters.Memory.Read = 1.5e9 }, Not,
			"+50.0 %"},
		{"the meter stands still", func(r *Result) { r.Step(4).Meters.Meters[0].Frozen = true },
			Not,
			"stands still"},
		{"the meter reads half", func(r *Result) { r.Step(4).Meters.Against[0].Slope = 0.4 }, Not,
			"0.40 W"},
		{"a battery that shows a new value each minute", func(r *Result) {
			x := &r.Step(4).Meters.Meters[1]
			x.PeriodNS, x.Follows = int64(time.Minute), 0.4
			r.Step(4).Meters.Against[0].Slope = 3
		}, Within, "every 1 min: too seldom for loads of 1.8 s"},
		{"a battery that shows nothing new", func(r *Result) {
			x := &r.Step(4).Meters.Meters[1]
			x.Frozen, x.Follows = true, 0
			r.Step(4).Meters.Against = nil
		}, Within, "hardly changed at all"},
		{"a battery that cannot be compared", func(r *Result) { r.Step(4).Meters.Against = nil },
			Within, "plug shows too little to be compared"},
		{"a plug that does not follow", func(r *Result) {
			x := &r.Step(4).Meters.Meters[1]
			x.PeriodNS, x.Follows = int64(time.Second/2), 0.4
		}, Not, "correlation with busy time 0.40"},
		{"a machine that others keep busy", func(r *Result) {
			r.Step(4).Meters.Meters[0].Loads[0].Busy = 0.9
		}, Within, "hardly varied"},
		{"one meter", func(r *Result) {
			m := r.Step(4).Meters
			m.Meters, m.Against = m.Meters[:1], nil
		}, Within,
			"there is no second meter"},
		{"a log that cannot be used", func(r *Result) {
			s := r.Step(4)
			s.Meters.Meters, s.Meters.Against = s.Meters.Meters[:1], nil
			s.Missing = []Missing{{What: MeterLog, Because: "no times"}}
		}, Within, "cannot be used: no times"},
		{"nothing predicted", func(r *Result) { r.Step(5).Predictions.Errors = nil }, Within,
			"no run was predicted"},
		{"wrong predictions", func(r *Result) { r.Step(5).Predictions.Errors[0].Percent = 20 }, Not,
			"20.0 %"},
		{"a broken budget", func(r *Result) {
			r.Step(6).Comparisons[0].Rows[1].Slowdown = at95(0.1)
		}, Not, "+10.0 % slower"},
		{"a budget that the rounds leave open", func(r *Result) {
			hi := 0.2
			r.Step(6).Comparisons[0].Rows[1].Slowdown.Hi = &hi
		}, Within, "+20.0 %"},
		{"one round", func(r *Result) {
			r.Step(6).Comparisons[0].Rows[1].Slowdown = &Interval{Estimate: 0.04, N: 1}
		}, Within, "+4.0 % slower"},
		{"more energy than a fixed clock", func(r *Result) {
			r.Step(6).Comparisons[0].Against[0].Energy = at95(0.3)
		}, Not, "energy +30.0 %"},
		{"more energy than a fixed clock in a short run", func(r *Result) {
			r.Step(6).Comparisons[0].Against[0].Energy = at95(0.3)
			r.Step(6).Comparisons[0].Rows[1].WallNS = 1.04e9
		}, Within, "in runs of 1.04 s: those of 3 s or longer decide"},
		{"more energy than a fixed clock in a long run", func(r *Result) {
			r.Step(6).Comparisons[0].Against[0].Energy = at95(0.3)
			r.Step(6).Comparisons[0].Rows[1].WallNS = 3e9
		}, Not, "energy +30.0 %"},
		{"modelled energy", func(r *Result) { r.Step(6).Comparisons[0].Source = "modelled" },
			Within,
			"modelled"},
		{"a budget broken under a quota", func(r *Result) {
			r.Step(6).Comparisons = append(r.Step(6).Comparisons, limited(time.Second, 0.09))
		}, Not, "+9.0 % slower"},
		{"a quota without effect", func(r *Result) {
			r.Step(6).Comparisons = append(r.Step(6).Comparisons, limited(0, 0.04))
		}, Within, "show nothing of a quota"},
		{"ebb fails after some comparisons", func(r *Result) {
			r.Step(6).Missing = []Missing{{"the comparisons that follow", Unknown, "ebb run: 2"}}
		}, Within, "without the comparisons that follow (could not find out: ebb run: 2)"},
		{"no quota can be had", func(r *Result) {
			r.Step(6).Missing = []Missing{{"the rounds under a quota", NotSupported, "no cgroups"}}
		}, Within, "what could not be checked is the limit"},
		{"the program of a JVM fails", func(r *Result) {
			r.Step(6).Missing = []Missing{{JVMProgram, Unknown, "java: 1"}}
		}, Believe, "every check holds"},
		{"ebb fails while idle, after some rounds", func(r *Result) {
			r.Step(7).State, r.Step(7).Because = Failed, "ebb run: 2"
		}, Within, "failed: ebb run: 2"},
		{"ebb fails at the second clock", func(r *Result) {
			*r.Step(5) = Step{Number: 5, State: Failed, Because: "ebb run: 2",
				Predictions: &Predictions{}}
		}, Within, "failed: ebb run: 2"},
		{"no setting can be read", func(r *Result) { r.Settings = new(int) }, Within,
			"what could not be checked is the limit"},
		{"an idle machine kept awake", func(r *Result) {
			r.Step(7).Comparisons[0].Rows[1].Energy = at95(0.2)
		}, Not, "energy +20.0 %"},
		{"an idle machine kept awake in a short run", func(r *Result) {
			r.Step(7).Comparisons[0].Rows[1].Energy = at95(0.2)
			r.Step(7).Comparisons[0].Rows[1].WallNS = 1.2e9
		}, Within, "in runs of 1.2 s: those"},
		{"a clock left behind", func(r *Result) { r.Step(8).Killed.Left = []string{"policy0"} },
			Not,
			"no: policy0"},
		{"put back by hand", func(r *Result) { r.Step(8).Killed.By = "ebb restore" }, Within,
			"by ebb restore"},
		{"changed at the end", func(r *Result) { r.Changed = []string{"policy0/x is 1"} }, Not,
			"policy0/x"},
		{"throttled", func(r *Result) { r.Step(6).Throttled.Core = 3 }, Within,
			"heat of a core 3 times"},
		{"no clocks", func(r *Result) {
			*r.Step(2) = Step{Number: 2, State: Skipped, Absence: NotSupported,
				Because: "no domain"}
		}, Open, "step 2 was skipped (not supported): no domain"},
		{"interrupted", func(r *Result) { r.Steps = r.Steps[:5] }, Open, "step 6 was not run"},
		{"no meter", func(r *Result) {
			*r.Step(4) = Step{Number: 4, State: Skipped, Absence: NotSupported, Because: "no meter"}
		}, Within, "no meter"},
		{"a failed step", func(r *Result) {
			*r.Step(5) = Step{Number: 5, State: Failed, Because: "it broke"}
		}, Within, "it broke"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := sound()
			c.change(r)
			v := Judge(r)
			says := strings.Contains(v.Sentence, c.says)
			for _, check := range v.Checks {
				says = says || check.Answer != Believe && strings.Contains(check.Found, c.says)
			}
			if v.Answer != c.answer || !says {
				t.Errorf("%s: %s, want %s with %q: %+v", v.Answer, v.Sentence, c.answer, c.says,
					v.Checks)
			}
		})
	}
}

// The sentence names the checks that it rests on, however many there are.
func TestSentence(t *testing.T) {
	for _, c := range []struct {
		change func(*Result)
		want   string
	}{
		{func(r *Result) { r.Step(2).Requests.Ratio = 1 },
			`this check failed: step 2, "Does the clock follow requests?"`},
		{func(r *Result) {
			r.Step(2).Requests.Ratio = 1
			r.Step(2).Requests.P99NS = 8e6 // a limit, and not named beside a failure
			r.Step(8).Killed.Left = []string{"policy0"}
		}, `these checks failed: step 2, "Does the clock follow requests?"; step 8, ` +
			`"Is everything as it was after kill -9?"`},
		{func(r *Result) { r.Step(2).Requests.P99NS = 8e6 },
			`this check is a limit: step 2, "How fast?"`},
		{func(r *Result) {
			for i := range r.Steps {
				r.Steps[i].Throttled.Core = 1
			}
		}, `these checks are limits: step 1, "Was it throttled?"; step 2, "Was it throttled?"; ` +
			`step 3, "Was it throttled?"; step 4, "Was it throttled?"; and 4 more`},
	} {
		r := sound()
		c.change(r)
		if got := Judge(r).Sentence; got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}

// The plan's times are what the modes promise.
func TestPlan(t *testing.T) {
	for mode, want := range map[Mode][2]time.Duration{Quick: {150 * time.Second, 200 * time.Second},
		Default: {14 * time.Minute, 20 * time.Minute}, Full: {time.Hour, 4 * time.Hour}} {
		p := NewPlan(mode, 0, 0, 0, nil)
		for range 2 {
			if got := p.Whole(); got < want[0] || got > want[1] {
				t.Errorf("%s takes %v with %v", mode, got, p.Programs)
			}
			p.WithJVM()
		}
	}
	for _, c := range []struct {
		mode  Mode
		steps []int
		takes bool
	}{{Quick, []int{1, 2}, false}, {Default, []int{6}, false}, {Default, []int{5}, true},
		{Full, []int{6}, true}, {Full, []int{1}, false}, {Quick, nil, true}} {
		if p := NewPlan(c.mode, 0, 0, 0, c.steps); p.TakesJVM() != c.takes {
			t.Errorf("%s, steps %v: a JVM %v", c.mode, c.steps, !c.takes)
		}
	}
	p := NewPlan(Quick, time.Second, 2, 3, []int{2, 3})
	if p.Does(1) || !p.Does(3) || p.Rounds != 2 || p.Clocks != 3 || p.Each() != time.Second ||
		!slices.Equal(p.Asked, []int{2, 3}) {
		t.Errorf("%+v", p)
	}
}

// The next step depends on what was found, and where it was kept.
func TestNext(t *testing.T) {
	none := sound()
	*none.Step(2) = Step{Number: 2, State: Skipped, Absence: NotSupported, Because: "no domain"}
	bad, cut, beside, brief := sound(), sound(), sound(), sound()
	brief.Step(6).Throttled.Core = 3
	*beside.Step(2) = Step{Number: 2, State: Skipped, Absence: Refused, Because: "a daemon"}
	bad.Step(2).Requests.Ratio = 1
	cut.Interrupted = true
	for _, c := range []struct {
		r          *Result
		file, says string
	}{{sound(), "x.json", "attach x.json to an issue at https://"},
		{sound(), "", "-o results makes a file"}, {sound(), "", "sudo ebb run -- COMMAND"},
		{bad, "x.json", "attach x.json"}, {none, "x.json", "ebb doctor"},
		{cut, "x.json", "without an interruption"}, {beside, "", "what step 2 says"},
		{brief, "", "its runs are longer and decide more"}} {
		c.r.Verdict = Judge(c.r)
		if got := Next(c.r, c.file); !strings.Contains(got, c.says) {
			t.Errorf("%s: %q does not say %q", c.r.Verdict.Answer, got, c.says)
		}
	}
}

func TestCompareMeters(t *testing.T) {
	loads := func(factor float64) (out []Load) {
		for _, w := range []float64{10, 20, 30, 55} {
			out = append(out, Load{Power: 3 + w*factor})
		}
		return out
	}
	got := CompareMeters([]Meter{{Name: "gpu", Scope: "part", Loads: loads(7)},
		{Name: "a", Scope: "package", Loads: loads(0.5)}, {Name: "b", Scope: "machine",
			Loads: loads(1)},
		{Name: "c", Scope: "machine", Loads: loads(1), Frozen: true},
		{Name: "d", Scope: "part", Loads: loads(1)}})
	if len(got) != 1 || got[0].Of != "a" || got[0].With != "b" || got[0].Slope < 0.499 ||
		got[0].Slope > 0.501 {
		t.Errorf("%+v", got)
	}
}
