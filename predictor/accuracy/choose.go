package accuracy

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/ebb-energy/ebb/predictor"
	"github.com/ebb-energy/ebb/predictor/nonscaling"
)

// Some of the predictor's constants were chosen with the errors on recorded programs in sight, so
// that those errors flatter them. A holdout chooses them anew, by rote, from some of the programs,
// and measures the errors on the others.

// constant is such a constant, with the values it may take. The first value switches its rule off.
// A line's time is documented, so only whether its rule is on is chosen.
type constant struct {
	name   string
	values []float64
	of     func(*nonscaling.Latencies) *float64
}

var constants = []constant{
	{"refill cycles", []float64{1e9, 0.1, 0.2, 0.3, 0.5, 1},
		func(m *nonscaling.Latencies) *float64 { return &m.RefillCycles }},
	{"transfer cycles", []float64{0, 6, 9, 11.5, 15, 20},
		func(m *nonscaling.Latencies) *float64 { return &m.TransferCycles }},
	{"transfer ns", []float64{0, 0.75, 1.5, 3, 5},
		func(m *nonscaling.Latencies) *float64 { return &m.TransferNs }},
	{"store ns", []float64{0, 45, 55, nonscaling.DefaultLatencies().StoreNs, 75},
		func(m *nonscaling.Latencies) *float64 { return &m.StoreNs }},
	{"line ns", []float64{0, nonscaling.DefaultLatencies().LineNs},
		func(m *nonscaling.Latencies) *float64 { return &m.LineNs }},
	{"even stores", []float64{0, 0.25, 0.5, 0.75, 1},
		func(m *nonscaling.Latencies) *float64 { return &m.EvenStores }},
	{"insts per store", []float64{1e9, 5, 6, 8, 10, 14},
		func(m *nonscaling.Latencies) *float64 { return &m.InstsPerStore }},
}

// choice holds the index of a value for each constant.
type choice [7]int

func shipped() (c choice) {
	m := nonscaling.DefaultLatencies()
	for i, k := range constants {
		c[i] = slices.Index(k.values, *k.of(&m))
	}
	return c
}

func (c choice) latencies() *nonscaling.Latencies {
	m := nonscaling.DefaultLatencies()
	for i, k := range constants {
		*k.of(&m) = k.values[c[i]]
	}
	return &m
}

// holdoutPairs are the pairs that count in a choice.
var holdoutPairs = Pairs()[:4]

// bench measures choices on workloads and remembers what it measured.
type bench struct {
	all       []*workload
	programs  []string // names; a program's tables in several sets belong together
	sets      []string
	estimator string
	known     map[choice][][]float64
}

// errors returns the errors in percent of a choice, by workload and pair; NaN where there is no
// measurement.
func (b *bench) errors(c choice) ([][]float64, error) {
	if e, ok := b.known[c]; ok {
		return e, nil
	}
	out := make([][]float64, len(b.all))
	for i, w := range b.all {
		out[i] = make([]float64, len(holdoutPairs))
		for j, p := range holdoutPairs {
			out[i][j] = math.NaN()
			base, target := w.at[p.From], w.at[p.To]
			if base == nil || target == nil {
				continue
			}
			pred, err := predict(base, predictor.Config{Estimator: b.estimator,
				Latencies: c.latencies()})
			if err != nil {
				return nil, fmt.Errorf("%s: %w", w.name, err)
			}
			if pred != nil {
				out[i][j] = percent(pred.Duration(p.To), float64(target.total))
			}
		}
	}
	b.known[c] = out
	return out, nil
}

// cost returns the mean absolute error of a choice on some programs: the mean over sets and pairs
// of the mean within each.
func (b *bench) cost(c choice, on func(program string) bool) (float64, error) {
	e, err := b.errors(c)
	if err != nil {
		return 0, err
	}
	sums := map[[2]any]*[2]float64{}
	for i, w := range b.all {
		for j, v := range e[i] {
			if !on(w.name) || math.IsNaN(v) {
				continue
			}
			k := [2]any{w.set, j}
			if sums[k] == nil {
				sums[k] = new([2]float64)
			}
			sums[k][0] += math.Abs(v)
			sums[k][1]++
		}
	}
	var total float64
	for _, k := range slices.SortedFunc(maps.Keys(sums), func(a, b [2]any) int {
		return slices.Compare([]string{a[0].(string), fmt.Sprint(a[1])},
			[]string{b[0].(string), fmt.Sprint(b[1])})
	}) {
		total += sums[k][0] / sums[k][1]
	}
	return total / float64(len(sums)), nil
}

// chooser finds a good choice on some programs.
type chooser func(on func(program string) bool) (choice, error)

// together chooses all constants. It begins with all rules off and takes each constant's best value
// in turn, twice.
func (b *bench) together(on func(program string) bool) (choice, error) {
	every := make([]int, len(constants))
	for i := range every {
		every[i] = i
	}
	return b.choose(choice{}, append(every, every...), on)
}

// alone chooses one constant; the others are as shipped.
func (b *bench) alone(constant int) chooser {
	return func(on func(program string) bool) (choice, error) {
		return b.choose(shipped(), []int{constant}, on)
	}
}

func (b *bench) choose(best choice, order []int, on func(program string) bool) (choice, error) {
	least := math.Inf(1)
	for _, i := range order {
		c := best
		for v := range constants[i].values {
			c[i] = v
			cost, err := b.cost(c, on)
			if err != nil {
				return best, err
			}
			if cost < least-1e-12 {
				least, best = cost, c
			}
		}
	}
	return best, nil
}
