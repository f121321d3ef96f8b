package perturbation

import (
	"context"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// planted is a program whose time scatters and whose sampled runs take longer by period, on a clock
// that only its runs move.
type planted struct {
	random  *rand.Rand
	at      time.Time
	mean    time.Duration
	scatter float64 // of a run's time, as a logarithm
	longer  func(period int) float64
	// waits is about how often as long as it needs a run waits for CPUs. seen says that it is known
	// how long.
	waits float64
	seen  bool
	// slow is the part of runs that take half as long again. Of slow ones of a kind a part is
	// hidden.
	slow, hiddenAlone, hiddenObserved float64
	runs                              int
}

func (p *planted) run(longer, hidden float64) oneRun {
	slow := p.slow > 0 && p.random.Float64() < p.slow
	if slow {
		longer += 0.5
	}
	wall := time.Duration(float64(p.mean) * (1 + longer) *
		math.Exp(p.scatter*p.random.NormFloat64()))
	undelayed := time.Duration(0)
	if p.seen && !(slow && p.random.Float64() < hidden) {
		undelayed = wall
	}
	wall += time.Duration(float64(wall) * p.waits * 2 * p.random.Float64())
	p.at = p.at.Add(wall)
	p.runs++
	return oneRun{wall: wall, undelayed: undelayed,
		footprint: map[string]float64{"a": 3, "b": 1, "c": 2}}
}

// search runs a search of the program without any process.
func (p *planted) search(settings Settings, say io.Writer) *Search {
	s := &Search{Settings: settings, argv: []string{"./planted"}, say: say}
	s.now = func() time.Time { return p.at }
	s.coin = func() bool { return p.random.IntN(2) == 0 }
	s.alone = func(context.Context, int, int) (oneRun, error) {
		return p.run(0, p.hiddenAlone), nil
	}
	s.sampled = func(_ context.Context, period, _ int) (oneRun, error) {
		return p.run(p.longer(period), p.hiddenObserved), nil
	}
	return s
}

// constant is the same disturbance at any period.
func constant(x float64) func(int) float64 { return func(int) float64 { return x } }

// TestPlantedDisturbance: a program whose runs scatter by 2 % is found calm where sampling adds
// half a percent, and disturbed where it adds 5 %, in more than nine of ten searches, within their
// time; of 5 % hardly any is called calm.
func TestPlantedDisturbance(t *testing.T) {
	const searches = 300
	for _, tt := range []struct {
		name    string
		longer  float64
		scatter float64
		verdict string
		wrong   string
	}{
		{"half a percent", 0.005, 0.02, "calm", "disturbed"},
		{"5 %", 0.05, 0.02, "disturbed", "calm"},
		{"5 %, more scatter", 0.05, 0.03, "disturbed", "calm"},
		{"as much less", -0.05, 0.02, "disturbed", "calm"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := map[string]int{}
			for seed := range uint64(searches) {
				p := &planted{random: rand.New(rand.NewPCG(seed, 35)), mean: 2 * time.Second,
					scatter: tt.scatter, longer: constant(tt.longer)}
				s := p.search(Settings{Periods: []int{8}, AtMost: 10 * time.Minute}, io.Discard)
				begin := p.at
				rows, err := s.Run(t.Context())
				if err != nil || len(rows) != 1 || !rows[0].Chosen {
					t.Fatalf("%v: %+v", err, rows)
				}
				if took := p.at.Sub(begin); took > 10*time.Minute {
					t.Errorf("took %v", took)
				}
				got[rows[0].verdict()]++
			}
			t.Logf("of %d: %v", searches, got)
			if got[tt.verdict] < searches*9/10 || got[tt.wrong] > searches/25 {
				t.Errorf("of %d: %v; want nine of ten %s", searches, got, tt.verdict)
			}
		})
	}
}

// TestWaitingDecidesNothing: beside other programs that take the CPUs for as long as the program
// has them, or much shorter or longer, a search still finds in nine of ten cases whether sampling
// disturbs the program. By the time with waiting it would find that in few.
func TestWaitingDecidesNothing(t *testing.T) {
	const searches = 100
	for _, tt := range []struct {
		longer  float64
		verdict string
	}{{0.005, "calm"}, {0.05, "disturbed"}} {
		for _, seen := range []bool{false, true} {
			decided := 0
			for seed := range uint64(searches) {
				p := &planted{random: rand.New(rand.NewPCG(seed, 36)), mean: 2 * time.Second,
					scatter: 0.02, waits: 1, seen: seen, longer: constant(tt.longer)}
				s := p.search(Settings{Periods: []int{8}, AtMost: 10 * time.Minute},
					io.Discard)
				rows, err := s.Run(t.Context())
				if err != nil || rows[0].Undelayed.Known() != seen {
					t.Fatalf("%v: %+v", err, rows)
				}
				if rows[0].verdict() == tt.verdict {
					decided++
				}
			}
			t.Logf("%v more, waiting known: %t: of %d %d are %s", tt.longer, seen, searches,
				decided, tt.verdict)
			if seen && decided < searches*9/10 || !seen && decided > searches/2 {
				t.Errorf("%v more, waiting known: %t: of %d %d are %s", tt.longer, seen, searches,
					decided, tt.verdict)
			}
		}
	}
}

// TestHiddenRoundsDecideNothing: where half of the runs is slow, alone and observed alike, and slow
// ones of one kind do not show how long they waited, hardly any search finds a disturbance that
// there is not, or none where there is one.
func TestHiddenRoundsDecideNothing(t *testing.T) {
	const searches = 60
	for _, tt := range []struct {
		name            string
		longer          float64
		alone, observed float64
		wrong           string
	}{
		{"alone", 0, 1, 0, "disturbed"}, {"half of them alone", 0, 0.5, 0, "disturbed"},
		{"observed", 0, 0, 1, "disturbed"}, {"observed, 6 % longer", 0.06, 0, 1, "calm"},
	} {
		got := map[string]int{}
		for seed := range uint64(searches) {
			p := &planted{random: rand.New(rand.NewPCG(seed, 38)), mean: 2 * time.Second,
				scatter: 0.02, seen: true, longer: constant(tt.longer),
				slow: 0.5, hiddenAlone: tt.alone, hiddenObserved: tt.observed}
			s := p.search(Settings{Periods: []int{8}, AtMost: 10 * time.Minute}, io.Discard)
			rows, err := s.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got[rows[0].verdict()]++
		}
		t.Logf("hidden: %s: of %d %v", tt.name, searches, got)
		if got[tt.wrong] > searches/20 {
			t.Errorf("hidden: %s: of %d %v", tt.name, searches, got)
		}
	}
}

// TestHiddenRoundsAreTheCause: where a program's time scatters little and hidden rounds alone keep
// it open, more time is not what is advised; where the time scatters, it is, hidden rounds or not.
func TestHiddenRoundsAreTheCause(t *testing.T) {
	for _, tt := range []struct {
		scatter float64
		hidden  bool
	}{{0.001, true}, {0.1, false}} {
		random := rand.New(rand.NewPCG(1, 40))
		s := &Search{Settings: Settings{AtMost: time.Hour}, rounds: 30, took: time.Minute}
		var alone, observed []oneRun
		for n := range 30 {
			run := func() oneRun {
				wall := time.Duration(1e9 * math.Exp(tt.scatter*random.NormFloat64()))
				return oneRun{wall: wall, undelayed: wall}
			}
			alone, observed = append(alone, run()), append(observed, run())
			if n >= 20 {
				alone[n].undelayed = 0
			}
		}
		row := s.compare(8, observed, alone)
		s.outlook.learn(byRound(row.logs))
		text := s.found([]Row{row})
		if row.Sure || row.Hidden != 10 || strings.Contains(text, "do not show") != tt.hidden ||
			strings.Contains(text, "--at-most") == tt.hidden {
			t.Errorf("scatter %v: sure %t, %d hidden: %s", tt.scatter, row.Sure, row.Hidden, text)
		}
	}
}

// TestPlanAndProgress: the plan comes after three rounds, its rounds are about those that are
// needed, and the search ends with the first calm period.
func TestPlanAndProgress(t *testing.T) {
	var said strings.Builder
	p := &planted{random: rand.New(rand.NewPCG(3, 35)), mean: time.Second, scatter: 0.01,
		longer: func(period int) float64 { return 0.2 / float64(period) }}
	s := p.search(Settings{Periods: []int{1, 2, 4, 8, 16, 32}, AtMost: 10 * time.Minute,
		Batches: 3}, &said)
	rows, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var verdicts []string
	for i := range rows {
		verdicts = append(verdicts, rows[i].verdict())
	}
	last := rows[len(rows)-1]
	if last.verdict() != "calm" || last.PeriodMS < 8 || !last.Chosen || !last.Converged ||
		verdicts[0] != "disturbed" || s.untriedPeriods() != "" {
		t.Errorf("%v at the last of %d ms, not tried: %q", verdicts, last.PeriodMS,
			s.untriedPeriods())
	}
	if strings.Contains(said.String(), "period 0 ms") {
		t.Errorf("a period that there is not:\n%s", said.String())
	}
	before, after, found := strings.Cut(said.String(), "ebb: plan: a round takes ")
	if !found || strings.Contains(before, "round 4") || !strings.Contains(after, "round 4") ||
		!strings.Contains(before, "10 min") || !strings.Contains(after, "where it adds 5 %") {
		t.Errorf("no plan after three rounds:\n%s", said.String())
	}
}

// TestRoundsOfAPlan: nine of ten verdicts need no more rounds than were planned, and a plan for
// twice the scatter has about four times the rounds beyond those that any takes.
func TestRoundsOfAPlan(t *testing.T) {
	for _, scatter := range []float64{0.02, 0.04, 0.08} {
		o := outlook{now: []float64{scatter / shamos}}
		p := &planted{random: rand.New(rand.NewPCG(5, 35)), mean: time.Second,
			scatter: scatter / math.Sqrt2, longer: constant(0)}
		within := 0
		for range 200 {
			s := p.search(Settings{Periods: []int{8}, AtMost: 100 * time.Hour}, io.Discard)
			rows, err := s.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if rows[0].Calm && rows[0].Time.N <= o.calm() {
				within++
			}
		}
		if within < 180 {
			t.Errorf("a scatter of %v: %d rounds sufficed for %d of 200", scatter, o.calm(), within)
		}
		wide := outlook{now: []float64{2 * scatter / shamos}}
		if r := float64(wide.disturbed()-soon) / float64(o.disturbed()-soon); scatter > 0.02 &&
			(r < 3 || r > 5) {
			t.Errorf("twice the scatter of %v takes %.1f times the rounds", scatter, r)
		}
	}
}

// TestTimeIsKept: what cannot be decided ends within the time, early where there is no hope; what
// has no time at all is refused after one run; periods without time are named.
func TestTimeIsKept(t *testing.T) {
	all := []int{1, 2, 4, 8, 16, 32, 64, 128, 256, 512}
	search := func(scatter, longer float64, mean time.Duration) (*Search, []Row, time.Duration,
		error) {
		p := &planted{random: rand.New(rand.NewPCG(11, 35)), mean: mean, scatter: scatter,
			longer: constant(longer)}
		s := p.search(Settings{Periods: all, AtMost: 10 * time.Minute}, io.Discard)
		begin := p.at
		rows, err := s.Run(t.Context())
		return s, rows, p.at.Sub(begin), err
	}
	open := func(r Row) bool { return r.verdict() == "inconclusive" }

	_, rows, took, err := search(0.02, 0.035, 2*time.Second)
	if err != nil || took > 10*time.Minute {
		t.Errorf("between both: %v after %v, %d periods", err, took, len(rows))
	}
	s, rows, took, err := search(0.5, 0, 2*time.Second)
	if err != nil || took > 2*time.Minute || slices.ContainsFunc(rows, func(r Row) bool {
		return !open(r)
	}) || s.Disturbed(rows) || s.untriedPeriods() == "" {
		t.Errorf("no hope: %v after %v, %+v, not tried: %q", err, took, rows, s.untriedPeriods())
	}
	if text := s.found(rows); !strings.Contains(text, "scatters") ||
		!strings.Contains(text, "lowest rate that was tried is that of 512 ms") {
		t.Errorf("what to do is not said: %s", text)
	}
	// Time for two or three verdicts of ten: the longest period is among those that are tried.
	s, rows, took, err = search(0.02, 0.2, 9*time.Second)
	if err != nil || took > 10*time.Minute || rows[len(rows)-1].PeriodMS != 512 ||
		!s.Disturbed(rows) || s.untriedPeriods() == "" || !rows[len(rows)-1].Chosen {
		t.Errorf("few periods: %v after %v, %d rows, not tried: %q", err, took, len(rows),
			s.untriedPeriods())
	}
	_, rows, took, err = search(0.02, 0, 2*time.Minute)
	if !errors.Is(err, ErrTime) || len(rows) > 0 || took > 3*time.Minute {
		t.Errorf("no time: %v after %v", err, took)
	}
}

// TestTimeIsLeftForOthers: an undecided period ends after half of the time while others wait; the
// last one has all the time that is left.
func TestTimeIsLeftForOthers(t *testing.T) {
	p := &planted{random: rand.New(rand.NewPCG(4, 35)), mean: 2 * time.Second, scatter: 0.1,
		longer: constant(0.03)}
	s := p.search(Settings{Periods: []int{1, 512}, AtMost: 10 * time.Minute}, io.Discard)
	begin, half := p.at, time.Time{}
	alone := s.alone
	s.alone = func(ctx context.Context, period, n int) (oneRun, error) {
		if period == 512 && half.IsZero() {
			half = p.at
		}
		return alone(ctx, period, n)
	}
	rows, err := s.Run(t.Context())
	if err != nil || len(rows) != 2 || half.Sub(begin) > 6*time.Minute {
		t.Errorf("%v: %d periods, the second after %v", err, len(rows), half.Sub(begin))
	}
}

// TestRunsAreCounted: with a number of runs the search does so many of each, whatever they show.
func TestRunsAreCounted(t *testing.T) {
	p := &planted{random: rand.New(rand.NewPCG(2, 35)), mean: time.Hour, scatter: 0.3,
		longer: constant(0)}
	s := p.search(Settings{Periods: []int{1, 512}, Runs: 4}, io.Discard)
	rows, err := s.Run(t.Context())
	if err != nil || len(rows) != 2 || p.runs != 1+2*2*4 || s.untriedPeriods() != "" {
		t.Errorf("%v, %d periods, %d runs", err, len(rows), p.runs)
	}
}

// TestSmallestOfThoseTried: a period is called the smallest calm one only if no smaller one was
// left out.
func TestSmallestOfThoseTried(t *testing.T) {
	rows := []Row{{PeriodMS: 1}, {PeriodMS: 512, RateHz: 2, Calm: true}}
	for _, tt := range []struct {
		untried []int
		want    string
	}{
		{nil, "smallest calm period: 512 ms"},
		{[]int{2, 4}, "smallest calm period of those tried: 512 ms"},
		{[]int{1024}, "smallest calm period: 512 ms"},
	} {
		if got := (&Search{untried: tt.untried}).found(rows); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%v not tried: %q", tt.untried, got)
		}
	}
}
