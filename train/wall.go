package train

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sort"
	"strings"
	"time"
)

// Sample is a wall meter's reading.
type Sample struct {
	At    float64 // s since 1970
	Power float64 // W
}

// Bounds of a log.
const (
	maxSamples = 1 << 22
	maxLog     = 1 << 26 // bytes
	maxWatts   = 1e6
)

// ReadWall reads a wall meter's log: lines of a time and a power in watts. Times are seconds since
// 1970 or RFC 3339, and never go back. The first line may have names. A last line that is not whole
// yet is left out.
func ReadWall(r io.Reader) ([]Sample, error) {
	limited := &io.LimitedReader{R: r, N: maxLog}
	in := csv.NewReader(limited)
	in.ReuseRecord, in.Comment, in.TrimLeadingSpace, in.FieldsPerRecord = true, '#', true, -1
	var out []Sample
	var bad error // of the line before
	for n := 1; ; n++ {
		line, err := in.Read()
		if limited.N <= 0 {
			return nil, fmt.Errorf("the wall meter's log has more than %d bytes", maxLog)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if bad != nil && n > 2 {
			return nil, bad
		}
		if err == nil {
			var s Sample
			s, err = sample(line)
			if err == nil && len(out) > 0 && s.At < out[len(out)-1].At {
				err = errors.New("its time lies before that of the line above")
			}
			if err == nil {
				out = append(out, s)
			}
		}
		if bad = nil; err != nil {
			bad = fmt.Errorf("line %d of the wall meter's log: %w", n, err)
		}
		if len(out) > maxSamples {
			return nil, fmt.Errorf("more than %d readings of the wall meter", maxSamples)
		}
	}
	if len(out) < 2 {
		return nil, errors.New("the wall meter's log has fewer than two readings " +
			"(lines of a time and a power in watts)")
	}
	return out, nil
}

func sample(line []string) (s Sample, err error) {
	if len(line) < 2 {
		return s, errors.New("no time and power")
	}
	text := strings.TrimSpace(line[0])
	if s.At, err = finite(text); err != nil {
		t, e := time.Parse(time.RFC3339Nano, text)
		if e != nil {
			return s, fmt.Errorf("%q is no time: give seconds since 1970 or RFC 3339", text)
		}
		s.At, err = float64(t.UnixNano())/1e9, nil
	}
	if s.Power, err = finite(strings.TrimSpace(line[1])); err != nil || s.Power < 0 ||
		s.Power > maxWatts {
		return s, fmt.Errorf("%q is no power in watts", line[1])
	}
	return s, nil
}

// mean is the mean power from begin to end, by straight lines between readings; NaN where the
// readings do not cover it or lie more than gap apart.
func mean(samples []Sample, begin, end, gap float64) float64 {
	i := sort.Search(len(samples), func(i int) bool { return samples[i].At > begin })
	if i == 0 || end <= begin {
		return math.NaN()
	}
	sum, at := 0.0, begin
	for at < end {
		if i == len(samples) || samples[i].At-samples[i-1].At > gap {
			return math.NaN()
		}
		a, b := &samples[i-1], &samples[i]
		i++
		to := math.Min(b.At, end)
		if to <= at {
			continue // two readings of one time, as by a clock of whole seconds
		}
		value := func(t float64) float64 {
			return a.Power + (b.Power-a.Power)*(t-a.At)/(b.At-a.At)
		}
		sum += (value(at) + value(to)) / 2 * (to - at)
		at = to
	}
	return sum / (end - begin)
}

// Limits of an alignment.
const (
	mostLag   = 30.0 // s
	lagStep   = 0.25 // s
	mostGap   = 15.0 // s between two readings
	clearlyBy = 0.05 // of correlation, by which another lag must be better than none
	follows   = 0.8  // the least correlation by which a lag is believed
	enough    = 20   // intervals, from which a lag is found
)

// Alignment is the fit of a wall meter's log to a data set.
type Alignment struct {
	Lag    float64 // s by which the log's clock is ahead of the machine's
	Filled int     // intervals that got their power
	// Follows is the correlation of power and busy time at that lag.
	Follows float64
}

// Align fills in the power of the intervals that have none from a wall meter's log. The clocks of
// the two may differ: the lag is that by which the power follows the machine's busy time best; 0
// where it does not follow closely, or not clearly better than with none.
func (d *Data) Align(samples []Sample) (a Alignment) {
	long := float64(d.Origin.IntervalNS) / 1e9
	busy := slices.Index(d.Inputs, "cpu_busy")
	powers := func(lag float64) (x, y []float64) {
		for i := range d.Intervals {
			v := &d.Intervals[i]
			if !math.IsNaN(v.Power) || busy < 0 {
				continue
			}
			begin := seconds(v.At) + lag
			if w := mean(samples, begin, begin+long, mostGap); !math.IsNaN(w) {
				x, y = append(x, v.Inputs[busy]), append(y, w)
			}
		}
		return x, y
	}
	x, y := powers(0)
	a.Follows = correlation(x, y)
	best, covered := max(a.Follows+clearlyBy, follows), len(x)
	for l := -mostLag; l <= mostLag; l += lagStep {
		x, y := powers(l)
		if c := correlation(x, y); len(x) >= enough && len(x)*10 >= covered*8 && c > best {
			best, a.Lag, a.Follows = c, l, c
		}
	}
	for i := range d.Intervals {
		v := &d.Intervals[i]
		begin := seconds(v.At) + a.Lag
		if w := mean(samples, begin, begin+long, mostGap); math.IsNaN(v.Power) && w > 0 {
			v.Power = w
			a.Filled++
		}
	}
	return a
}

// correlation is Pearson's; 0 where one does not vary.
func correlation(x, y []float64) float64 {
	n := float64(len(x))
	if n < 2 {
		return 0
	}
	var mx, my, xx, yy, xy float64
	for i := range x {
		mx, my = mx+x[i]/n, my+y[i]/n
	}
	for i := range x {
		xx += (x[i] - mx) * (x[i] - mx)
		yy += (y[i] - my) * (y[i] - my)
		xy += (x[i] - mx) * (y[i] - my)
	}
	if xx <= 0 || yy <= 0 {
		return 0
	}
	return xy / math.Sqrt(xx*yy)
}
