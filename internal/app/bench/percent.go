package bench

import (
	"fmt"
	"math"
	"strconv"
)

// decimals returns the number of digits after the point of a percentage that the interval's width
// justifies.
func (i Interval) decimals() int {
	switch width := i.Hi - i.Lo; {
	case !i.bounded() || width == 0 || width >= 0.002:
		return 1
	case width >= 0.0002:
		return 2
	}
	return 3
}

// signed returns the estimate in percent, with its sign.
func (i Interval) signed() string { return percent(i.Estimate, i.decimals(), "+") + " %" }

// size returns the estimate in percent, without its sign.
func (i Interval) size() string { return percent(math.Abs(i.Estimate), i.decimals(), "") + " %" }

// span returns the interval's ends in percent.
func (i Interval) span() string {
	return fmt.Sprintf("%s to %s %%", percent(i.Lo, i.decimals(), "+"),
		percent(i.Hi, i.decimals(), "+"))
}

// cell returns the estimate with the interval's ends, for a column of such.
func (i Interval) cell() string {
	if !i.bounded() {
		return percent(i.Estimate, 1, "+") + " %"
	}
	return fmt.Sprintf("%s %% (%s to %s)", percent(i.Estimate, 1, "+"), percent(i.Lo, 1, "+"),
		percent(i.Hi, 1, "+"))
}

// percent returns a share in percent. A share that is rounded to zero has no minus sign.
func percent(v float64, decimals int, plus string) string {
	s := strconv.FormatFloat(100*math.Abs(v), 'f', decimals, 64)
	if zero, err := strconv.ParseFloat(s, 64); v < 0 && (err != nil || zero != 0) {
		return "-" + s
	}
	return plus + s
}
