package baseline

import (
	"fmt"

	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/hardware"
)

// trainingWork is the instructions per thread of a training program: some 20 ms at the highest
// frequency for the slowest.
const trainingWork = 20_000_000

// trainingMixes are the programs of the learning phase: kernels of one character each, from none
// that leaves the core's caches to ones that saturate the memory, as the benchmarks that EAR is
// trained with (EP, DGEMM, BT, LU, SP, UA, STREAM), and two in the manner of managed programs. They
// are none of the programs that governors are compared on.
var trainingMixes = []simtest.Mix{
	{Name: "registers", CPI: 0.35},
	{Name: "arithmetic", CPI: 0.6, L3: 0.2, Memory: 0.02, Parallel: 2, Stores: 60},
	{Name: "blocked", CPI: 0.5, L3: 2, Memory: 0.3, Parallel: 3, Stores: 90, StoreMisses: 0.1},
	{Name: "branchy", CPI: 1.1, L3: 4, Memory: 0.4, Fetch: 2, Parallel: 1.3, Dependent: 0.4,
		Stores: 100, StoreMisses: 0.1},
	{Name: "stencil", CPI: 0.7, L3: 8, Memory: 2, Parallel: 4, Stores: 80, StoreMisses: 0.8},
	{Name: "sweep", CPI: 0.6, L3: 6, Memory: 5, Parallel: 5, Stores: 80, StoreMisses: 1.5},
	{Name: "tables", CPI: 0.8, L3: 12, Memory: 3, Parallel: 1.5,
		Dependent: 0.3, Stores: 50, StoreMisses: 0.2},
	{Name: "graph", CPI: 0.9, L3: 10, Memory: 8, Parallel: 1.8,
		Dependent: 0.6, Stores: 40, StoreMisses: 0.5},
	{Name: "lookup", CPI: 0.8, L3: 20, Memory: 0.3, Parallel: 1.5,
		Dependent: 0.3, Stores: 60, StoreMisses: 0.1},
	{Name: "objects", CPI: 0.9, L3: 9, Memory: 3, Fetch: 3, Parallel: 1.5, Dependent: 0.4,
		Stores: 120, StoreMisses: 3},
	{Name: "solver", CPI: 0.5, L3: 3, Memory: 6, Parallel: 6, Stores: 70, StoreMisses: 2},
	{Name: "copying", CPI: 0.7, L3: 4, Memory: 6, Parallel: 3,
		Dependent: 0.2, Stores: 150, StoreMisses: 6},
	{Name: "chase", CPI: 1, L3: 5, Memory: 12, Parallel: 1, Dependent: 1, Stores: 20},
	{Name: "stream", CPI: 0.5, L3: 1, Memory: 14, Parallel: 8, Stores: 120, StoreMisses: 6},
}

// Learn measures the training programs at every state of a machine and fits the projections, as
// coeffs_compute does: for each pair of states, least squares over the programs. It takes one run
// per program and state.
func Learn(p hardware.Profile, seed uint64) (*Model, error) {
	table := Table(DomainOf(&p).Table)
	measured := make([][]signature, len(trainingMixes)) // [program][state]
	for i := range trainingMixes {
		w := training(&trainingMixes[i], p.Cores)
		for _, f := range table {
			t, err := simtest.Static(p, w, simtest.Options{Seed: seed, Quiet: true, Clamp: true}, f)
			if err != nil {
				return nil, fmt.Errorf("training program %s at %v: %w", w.Name, f, err)
			}
			measured[i] = append(measured[i], signatureOf(t))
		}
	}
	return learn(table, measured)
}

// learn fits a model to signatures, [program][state].
func learn(table Table, measured [][]signature) (*Model, error) {
	m := &Model{Table: table, Projections: make([][]Projection, len(table))}
	for from := range table {
		m.Projections[from] = make([]Projection, len(table))
		for to := range table {
			var cpi, power []point
			for _, s := range measured {
				a, b := s[from], s[to]
				cpi = append(cpi, point{a.CPI, a.TPI, b.CPI})
				power = append(power, point{a.Power, a.TPI, b.Power})
			}
			pr := &m.Projections[from][to]
			var okCPI, okPower bool
			pr.CPI, okCPI = fit(cpi)
			pr.Power, okPower = fit(power)
			if !okCPI || !okPower {
				return nil, fmt.Errorf("training does not determine the projection from %v to %v",
					table[from], table[to])
			}
		}
	}
	return m, nil
}

// training returns a program whose threads, one a core, all have the same character.
func training(mix *simtest.Mix, threads int) simtest.Workload {
	return simtest.Workload{Name: mix.Name, Threads: threads, Build: func(b *simtest.Builder) {
		for range b.Threads() {
			b.Thread(mix.Name, simtest.App, func(t *simtest.Thread) { t.Run(mix, trainingWork) })
		}
	}}
}

// signatureOf returns a whole run's signature.
func signatureOf(t *simtest.Truth) signature {
	cycles := 0.0
	for _, r := range t.Frequencies {
		cycles += float64(r.Frequency) * r.Busy.Seconds()
	}
	n := float64(t.Instructions)
	return signature{
		Time:  float64(t.Wall),
		CPI:   cycles / n,
		TPI:   float64(t.DRAMReads+t.DRAMWrites) / n,
		Power: float64(t.Energy.Total().Over(t.Wall)),
	}
}
