package accuracy

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
)

// Held is the error of one way of choosing the constants, by set and pair: the mean and the worst
// absolute error in percent.
type Held struct {
	Way         string
	Mean, Worst [][]float64
}

// Holdout holds the errors of one estimator, with the constants chosen from all programs and with
// those chosen without the programs that are predicted.
type Holdout struct {
	Estimator string
	Sets      []string
	Pairs     []Pair
	Ways      []Held
	Constants []Chosen
}

// Chosen holds the values chosen for one constant, while the others are as shipped.
type Chosen struct {
	Name         string
	Shipped, All float64
	// LeftOut holds the values chosen with one program left out, ascending, and Times the number of
	// times that each was chosen.
	LeftOut []float64
	Times   []int
	Ways    []Held
}

// holdoutSeed is the seed of the random halves.
const holdoutSeed = 1

// HoldOut chooses the constants anew: from all programs in dir, from all but the one predicted, and
// from random halves of them for the other halves. It chooses all constants together and each by
// itself, for the default model's best estimator and for that of real counters.
func HoldOut(dir string, halves int) ([]Holdout, error) {
	all, err := read(dir)
	if err != nil {
		return nil, err
	}
	var out []Holdout
	for _, estimator := range []string{"offcore", "bracket"} {
		b := &bench{estimator: estimator, known: map[choice][][]float64{}}
		for _, w := range all {
			if len(w.at) > 1 {
				b.all = append(b.all, w)
			}
			if !slices.Contains(b.programs, w.name) {
				b.programs = append(b.programs, w.name)
			}
			if !slices.Contains(b.sets, w.set) {
				b.sets = append(b.sets, w.set)
			}
		}
		h := Holdout{Estimator: estimator, Sets: b.sets, Pairs: holdoutPairs}
		if err := b.holdOut(&h, halves); err != nil {
			return nil, err
		}
		out = append(out, h)
	}
	return out, nil
}

func every(string) bool { return true }

func (b *bench) holdOut(h *Holdout, halves int) error {
	way, err := b.fixed("as shipped", shipped())
	if err != nil {
		return err
	}
	h.Ways = append(h.Ways, way)
	ways, _, err := b.ways(b.together, halves)
	if err != nil {
		return err
	}
	h.Ways = append(h.Ways, ways...)
	for i := range constants {
		if !b.matters(i) {
			continue
		}
		c, err := b.chosen(i, halves)
		if err != nil {
			return err
		}
		h.Constants = append(h.Constants, c)
	}
	return nil
}

// matters reports whether the estimator uses a constant: some value of it gives other errors than
// the shipped one.
func (b *bench) matters(constant int) bool {
	was, err := b.errors(shipped())
	if err != nil {
		return true
	}
	for v := range constants[constant].values {
		c := shipped()
		c[constant] = v
		is, err := b.errors(c)
		if err != nil || fmt.Sprint(is) != fmt.Sprint(was) {
			return true
		}
	}
	return false
}

func (b *bench) chosen(constant, halves int) (Chosen, error) {
	k := &constants[constant]
	out := Chosen{Name: k.name, Shipped: k.values[shipped()[constant]]}
	off := shipped()
	off[constant] = 0
	way, err := b.fixed("without its rule", off)
	if err != nil {
		return out, err
	}
	ways, picks, err := b.ways(b.alone(constant), halves)
	if err != nil {
		return out, err
	}
	out.Ways = append([]Held{way}, ways...)
	out.All = k.values[picks[0][constant]]
	times := map[float64]int{}
	for _, c := range picks[1:] {
		times[k.values[c[constant]]]++
	}
	out.LeftOut = slices.Sorted(maps.Keys(times))
	for _, v := range out.LeftOut {
		out.Times = append(out.Times, times[v])
	}
	return out, nil
}

// fixed measures one choice.
func (b *bench) fixed(name string, c choice) (Held, error) {
	t := b.tally()
	err := b.add(t, c, every)
	return t.held(name), err
}

// ways measures a way of choosing: from all programs, with one left out at a time, and from random
// halves. It also returns the choices: from all programs first, then with each program left out.
func (b *bench) ways(choose chooser, halves int) (out []Held, picks []choice, err error) {
	c, err := choose(every)
	if err != nil {
		return nil, nil, err
	}
	picks = append(picks, c)
	all, err := b.fixed("chosen from all", c)
	if err != nil {
		return nil, nil, err
	}
	one := b.tally()
	for _, p := range b.programs {
		c, err := choose(func(q string) bool { return q != p })
		if err != nil {
			return nil, nil, err
		}
		picks = append(picks, c)
		if err := b.add(one, c, func(q string) bool { return q == p }); err != nil {
			return nil, nil, err
		}
	}
	half := b.tally()
	rng := rand.New(rand.NewPCG(holdoutSeed, 0))
	for range halves {
		order := slices.Clone(b.programs)
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		first := order[:len(order)/2]
		for _, from := range []bool{true, false} {
			c, err := choose(func(q string) bool { return slices.Contains(first, q) == from })
			if err != nil {
				return nil, nil, err
			}
			if err := b.add(half, c, func(q string) bool {
				return slices.Contains(first, q) != from
			}); err != nil {
				return nil, nil, err
			}
		}
	}
	return []Held{all, one.held("chosen from all others"),
		half.held(fmt.Sprintf("from a half, %d x 2", halves))}, picks, nil
}
