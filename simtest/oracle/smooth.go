package oracle

import "math"

// smooth takes the luck out of a table of chunks and states. Each of its columns comes from another
// run, in which threads met in another order, so that a chunk can be quick at one state by chance;
// a plan that may choose among 25 states finds every such chance, and none of them comes again when
// the plan is played.
//
// First every entry becomes the mean over window chunks around it: work that one run did just
// before a border between chunks and another just after it comes out the same. Then each chunk's
// row is replaced by the closest sum of the few shapes over the states that the rows have in
// common, found as the leading singular vectors of the table: two of these are the time that scales
// with the clock and the time that does not. Last, columns are scaled so that each still adds up to
// its run.
func smooth(rows [][]float64, window, shapes int) [][]float64 {
	n, states := len(rows), len(rows[0])
	totals := make([]float64, states)
	for _, row := range rows {
		for s, v := range row {
			totals[s] += v
		}
	}
	mean := averaged(rows, window)
	out := make([][]float64, n)
	for i := range out {
		out[i] = make([]float64, states)
	}
	rest := make([][]float64, n)
	for i := range rest {
		rest[i] = append([]float64(nil), mean[i]...)
	}
	for range min(shapes, states) {
		shape := leading(rest)
		for i := range rest {
			along := 0.0
			for s, v := range rest[i] {
				along += v * shape[s]
			}
			for s := range rest[i] {
				out[i][s] += along * shape[s]
				rest[i][s] -= along * shape[s]
			}
		}
	}
	sums := make([]float64, states)
	for i := range out {
		for s := range out[i] {
			out[i][s] = max(out[i][s], 0.05*mean[i][s]) // a fit may leave the possible range
			sums[s] += out[i][s]
		}
	}
	for i := range out {
		for s := range out[i] {
			if sums[s] > 0 {
				out[i][s] *= totals[s] / sums[s]
			}
		}
	}
	return out
}

// averaged returns the mean over window rows around each, fewer at the ends.
func averaged(rows [][]float64, window int) [][]float64 {
	n, states := len(rows), len(rows[0])
	out := make([][]float64, n)
	for i := range out {
		out[i] = make([]float64, states)
		from, to := max(i-window/2, 0), min(i+(window-1)/2, n-1)
		for k := from; k <= to; k++ {
			for s, v := range rows[k] {
				out[i][s] += v / float64(to-from+1)
			}
		}
	}
	return out
}

// leading returns the unit vector over the states along which the rows are longest, by power
// iteration.
func leading(rows [][]float64) []float64 {
	states := len(rows[0])
	v := make([]float64, states)
	for s := range v {
		v[s] = 1 + float64(s)/float64(states) // not at a right angle to anything likely
	}
	next := make([]float64, states)
	for range 100 {
		clear(next)
		for _, row := range rows {
			along := 0.0
			for s, x := range row {
				along += x * v[s]
			}
			for s, x := range row {
				next[s] += along * x
			}
		}
		length := 0.0
		for _, x := range next {
			length += x * x
		}
		if length = math.Sqrt(length); length == 0 {
			return next // nothing is left
		}
		for s := range v {
			v[s] = next[s] / length
		}
	}
	return v
}
