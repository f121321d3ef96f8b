package printable

import (
	"fmt"
	"math"
)

// Percent is a share in percent, to a tenth, for a sentence: "12.3 %". A share that rounds to 0 has
// no minus sign.
func Percent(share float64) string { return fmt.Sprintf("%.1f %%", percent(share)) }

// SignedPercent is Percent with a sign always.
func SignedPercent(share float64) string { return fmt.Sprintf("%+.1f %%", percent(share)) }

// ShortPercent is Percent without the space, for tables of text and the lines beside them.
func ShortPercent(share float64) string { return fmt.Sprintf("%.1f%%", percent(share)) }

// ShortSignedPercent is ShortPercent with a sign always.
func ShortSignedPercent(share float64) string { return fmt.Sprintf("%+.1f%%", percent(share)) }

func percent(share float64) float64 {
	if math.Abs(share) < 0.0005 {
		return 0
	}
	return 100 * share
}

// PercentWithin is Percent with the ends of its interval: "2.1 % (1.3 to 2.8)".
func PercentWithin(share, lo, hi float64) string {
	return fmt.Sprintf("%s (%s)", Percent(share), Between(lo, hi))
}

// Between is an interval of shares in percent, behind a figure that has the unit: "1.3 to 2.8".
func Between(lo, hi float64) string {
	return fmt.Sprintf("%.1f to %.1f", percent(lo), percent(hi))
}
