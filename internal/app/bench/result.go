package bench

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// Result is the result of a plan's finished rounds.
type Result struct {
	Plan    *Plan    `json:"plan"`
	Asked   int      `json:"rounds_asked"`
	Rounds  int      `json:"rounds"` // number of rounds in which every setting has run
	Method  string   `json:"interval_method"`
	Rows    []Row    `json:"settings"`
	Optima  []Choice `json:"static_optimal"`
	Against []Versus `json:"comparisons"`
	// Verdicts has the verdict on each of ebb's settings.
	Verdicts []Judged `json:"verdicts"`
	Notes    []string `json:"notes"`
	Samples  []Run    `json:"runs"` // all runs, also of unfinished rounds
}

// method is a sentence on how the intervals are made.
const method = "95 % intervals: Student's t on the logarithms of the ratios to the run at the " +
	"highest frequency of the same round"

// Row is the result of the rounds for one setting.
type Row struct {
	Setting Setting       `json:"-"`
	Name    string        `json:"setting"`
	Kind    Kind          `json:"kind"`
	Hz      int64         `json:"freq_hz,omitempty"`
	Budget  *float64      `json:"budget,omitempty"`
	Wall    time.Duration `json:"wall_ns"` // mean time
	// Processor and Total are mean energies. HasEnergy is false for a setting whose energy nobody
	// knows. Energies of the reference processor serve their changes alone.
	Processor units.Energy `json:"-"`
	Total     units.Energy `json:"-"`
	HasEnergy bool         `json:"energy_known"`
	// ProcessorNJ and TotalNJ are for machines to read; null when unknown, and for the reference
	// processor.
	ProcessorNJ *int64 `json:"processor_energy_nj"`
	TotalNJ     *int64 `json:"total_energy_nj"`
	// Slowdown and the changes of energy are against the highest frequency. 0.05: 5 % longer; -0.1:
	// 10 % less energy.
	Slowdown        Interval `json:"slowdown"`
	ProcessorEnergy Interval `json:"processor_energy_change"`
	TotalEnergy     Interval `json:"total_energy_change"`
	Source          Source   `json:"energy_source"`
	// Verdict says whether the rounds kept the budget; for ebb's settings only.
	Verdict Verdict  `json:"budget_verdict,omitempty"`
	Trouble []string `json:"trouble,omitempty"`

	logs, processor, total []float64 // one value per round
}

// Verdict says whether a budget was kept, as far as the rounds can show.
type Verdict string

const (
	// kept: the whole interval is within the budget.
	kept Verdict = "kept"
	// broken: the whole interval is beyond it.
	broken Verdict = "broken"
	// unsettled: the budget lies within the interval, or there is no interval.
	unsettled Verdict = "unsettled"
)

func judge(slowdown Interval, budget float64) Verdict {
	switch {
	case !slowdown.bounded():
		return unsettled
	case slowdown.Hi <= budget:
		return kept
	case slowdown.Lo > budget:
		return broken
	}
	return unsettled
}

// Run is one run, for the JSON.
type Run struct {
	Round   int              `json:"round"`
	Setting string           `json:"setting"`
	WallNS  int64            `json:"wall_ns"`
	CPUNS   int64            `json:"cpu_ns"`
	Energy  map[string]int64 `json:"energy_nj"`
	Source  Source           `json:"energy_source"`
	Trouble string           `json:"trouble,omitempty"`
}

// Analyse returns the result of samples as Execute returns them. asked is the number of rounds that
// were wanted.
func Analyse(p *Plan, samples []Sample, asked int) *Result {
	// Empty lists and not none: in JSON they are [].
	r := &Result{Plan: p, Asked: asked, Method: method, Rows: []Row{}, Optima: []Choice{},
		Against: []Versus{}, Verdicts: []Judged{}, Notes: []string{}, Samples: []Run{}}
	table := complete(p, samples)
	r.Rounds = len(table)
	for i := range samples {
		r.Samples = append(r.Samples, newRun(p, &samples[i]))
	}
	if r.Rounds > 0 {
		for i, s := range p.Settings {
			r.Rows = append(r.Rows, newRow(s, i, table))
		}
		r.optima()
		r.compare()
		r.judge()
	}
	r.notes()
	return r
}

// complete returns the samples of the rounds in which every setting has run, by round and setting.
func complete(p *Plan, samples []Sample) [][]*Sample {
	rounds := map[int][]*Sample{}
	most := 0
	for i := range samples {
		s := &samples[i]
		if rounds[s.Round] == nil {
			rounds[s.Round] = make([]*Sample, len(p.Settings))
		}
		rounds[s.Round][s.Setting] = s
		most = max(most, s.Round)
	}
	var table [][]*Sample
	for round := 1; round <= most; round++ {
		whole := len(rounds[round]) > 0
		for _, s := range rounds[round] {
			whole = whole && s != nil
		}
		if whole {
			table = append(table, rounds[round])
		}
	}
	return table
}

func newRow(s Setting, index int, table [][]*Sample) Row {
	row := Row{Setting: s, Name: s.String(), Kind: s.Kind, Hz: int64(s.Frequency), HasEnergy: true}
	var wall, processor, total float64
	troubles, sources := map[string]int{}, []string(nil)
	for _, round := range table {
		x, base := round[index], round[0]
		wall += float64(x.Wall)
		row.logs = append(row.logs, logRatio(float64(x.Wall), float64(base.Wall)))
		p, ok := x.Energy(Processor)
		t, _ := x.Energy()
		pb, okb := base.Energy(Processor)
		tb, _ := base.Energy()
		row.HasEnergy = row.HasEnergy && ok && okb && p > 0 && pb > 0
		processor, total = processor+float64(p), total+float64(t)
		row.processor = append(row.processor, logRatio(float64(p), float64(pb)))
		row.total = append(row.total, logRatio(float64(t), float64(tb)))
		if x.Trouble != "" {
			troubles[x.Trouble]++
		}
		if !slices.Contains(sources, string(x.Source)) {
			sources = append(sources, string(x.Source))
		}
	}
	row.Source = Source(strings.Join(sources, ", "))
	n := float64(len(table))
	row.Wall = time.Duration(math.Round(wall / n))
	row.Slowdown = Ratio(row.logs)
	if row.HasEnergy {
		row.Processor = units.Energy(math.Round(processor / n))
		row.Total = units.Energy(math.Round(total / n))
		p, t := int64(row.Processor), int64(row.Total)
		if s := table[0][0].Source; s != Reference {
			row.ProcessorNJ, row.TotalNJ = &p, &t
		}
		row.ProcessorEnergy, row.TotalEnergy = Ratio(row.processor), Ratio(row.total)
	} else {
		row.processor, row.total = nil, nil
	}
	if s.Kind == Slowdown {
		b := float64(s.Slowdown)
		row.Budget, row.Verdict = &b, judge(row.Slowdown, b)
	}
	for _, what := range sortedKeys(troubles) {
		row.Trouble = append(row.Trouble, times(troubles[what], len(table), what))
	}
	return row
}

func logRatio(a, b float64) float64 {
	if a <= 0 || b <= 0 {
		return 0
	}
	return math.Log(a / b)
}

func newRun(p *Plan, s *Sample) Run {
	r := Run{
		Round: s.Round, Setting: p.Settings[s.Setting].id(), WallNS: int64(s.Wall),
		CPUNS: int64(s.CPU), Energy: map[string]int64{},
		Source: s.Source, Trouble: s.Trouble,
	}
	for _, z := range s.Zones {
		if s.Source == Reference {
			break // there are no joules of this machine
		}
		r.Energy[z.Name] += int64(z.Energy)
	}
	return r
}
