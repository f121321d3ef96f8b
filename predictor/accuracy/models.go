package accuracy

import (
	"github.com/ebb-energy/ebb/predictor"
	"github.com/ebb-energy/ebb/units"
)

// Model is a way to predict, under the name it has in the tables.
type Model struct {
	Name   string
	Config predictor.Config
	// PaperUp and PaperDown are the paper's errors, 1 -> 4 and 4 -> 1 GHz, in percent; 0 for none.
	PaperUp, PaperDown float64
	What               string
}

// Models returns ebb's models and the paper's. The models as printed use CRIT over loads that went
// to memory and the time in which the store queue was full, as the paper does.
func Models() []Model {
	printed := func(model, ctp string) predictor.Config {
		return predictor.Config{Model: model, Estimator: "crit", CTP: ctp}
	}
	return []Model{
		{Name: "wake", Config: predictor.Config{Model: predictor.Wake},
			What: "the default, with the best counters there are"},
		{Name: "wake, real counters",
			Config: predictor.Config{Model: predictor.Wake, Estimator: "bracket"},
			What: "the default with what real processors count: stalled, occupied, loads, " +
				"stores, store queue full, stores outstanding, no instruction in flight"},
		{Name: "wake, stalls only", Config: predictor.Config{Model: predictor.Wake,
			Estimator: "stalled"},
			What: "the default with the counters of processors that cannot count occupancy"},
		{Name: "dep+burst", Config: printed("dep+burst", predictor.Across), PaperUp: 6,
			PaperDown: 8,
			What:      "DEP+BURST as printed, Algorithm 1"},
		{Name: "dep+burst per-epoch", Config: printed("dep+burst", predictor.PerEpoch), PaperUp: 10,
			PaperDown: 14,
			What:      "the same with per-epoch critical threads"},
		{Name: "dep", Config: printed("dep", predictor.Across),
			PaperUp: 19, PaperDown: 57, What: "the same with Algorithm 1, without BURST"},
		{Name: "coop", Config: printed("coop", ""), PaperUp: 22, PaperDown: 63,
			What: "COOP: M+CRIT for each phase of the application and of its collector apart; " +
				"of programs without a collector's phases it would be M+CRIT, and has no figures"},
		{Name: "coop+burst", Config: printed("coop+burst", ""), What: "COOP with BURST"},
		{Name: "m+crit", Config: printed("m+crit", ""), PaperUp: 27, PaperDown: 70,
			What: "M+CRIT: CRIT for each thread over its whole run; the longest one decides"},
		{Name: "m+crit+burst", Config: printed("m+crit+burst", ""), What: "M+CRIT with BURST"},
	}
}

// boundName is the row of the bound.
const boundName = "bound"

// Pair is a base and a target frequency.
type Pair struct{ From, To units.Frequency }

// Pairs returns the directions measured: the paper's two, the short steps a governor takes, and the
// others of the four clocks.
func Pairs() []Pair {
	const ghz = units.Frequency(1_000_000_000)
	return []Pair{{1 * ghz, 4 * ghz}, {4 * ghz, 1 * ghz}, {1 * ghz, 2 * ghz}, {4 * ghz, 3 * ghz},
		{2 * ghz, 4 * ghz}, {2 * ghz, 1 * ghz}, {3 * ghz, 4 * ghz}, {4 * ghz, 2 * ghz},
		{1 * ghz, 3 * ghz}, {3 * ghz, 1 * ghz}, {2 * ghz, 3 * ghz}, {3 * ghz, 2 * ghz}}
}
