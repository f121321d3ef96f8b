package tolerance

import "math"

// studentCDF returns the chance that Student's t with df degrees of freedom is at most t.
func studentCDF(t, df float64) float64 {
	tail := 0.5 * incompleteBeta(df/2, 0.5, df/(df+t*t)) // the chance beyond |t|
	if t > 0 {
		return 1 - tail
	}
	return tail
}

// StudentBeyond is the chance that Student's t with df degrees of freedom is beyond t to either
// side. It is the inverse of Student.
func StudentBeyond(t, df float64) float64 {
	if df > manyDegrees {
		return math.Erfc(t / math.Sqrt2) // the beta function would have no digits left
	}
	return incompleteBeta(df/2, 0.5, df/(df+t*t))
}

// manyDegrees are so many that Student's t is normal, but for 1e-6 of it.
const manyDegrees = 1e6

// Student is the number of standard errors that a mean is off, to either side, with probability p,
// where the errors are themselves estimated with df degrees of freedom: the quantile of Student's
// t, found by bisection of its tail. Deviations is the same for very many degrees.
func Student(p, df float64) float64 {
	check(p)
	if df > manyDegrees {
		return Deviations(p) // the beta function would have no digits left
	}
	p /= 2
	lo, hi := 0.0, 1.0
	for 1-studentCDF(hi, df) > p && hi < 1e12 {
		lo, hi = hi, 2*hi
	}
	for range 200 {
		mid := lo + (hi-lo)/2
		if mid == lo || mid == hi {
			break
		}
		// The tail itself, not 1 - CDF: at small p the difference has no digits left.
		if 0.5*incompleteBeta(df/2, 0.5, df/(df+mid*mid)) > p {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

// incompleteBeta is the regularised incomplete beta function I_x(a, b), by the continued fraction
// of Abramowitz and Stegun 26.5.8, evaluated from the left (the method of Lentz). It converges fast
// for x < (a+1)/(a+b+2); beyond, I_x(a, b) = 1 - I_1-x(b, a).
func incompleteBeta(a, b, x float64) float64 {
	switch {
	case x <= 0:
		return 0
	case x >= 1:
		return 1
	case x > (a+1)/(a+b+2):
		return 1 - incompleteBeta(b, a, 1-x)
	}
	ab, _ := math.Lgamma(a + b)
	la, _ := math.Lgamma(a)
	lb, _ := math.Lgamma(b)
	front := math.Exp(ab-la-lb+a*math.Log(x)+b*math.Log1p(-x)) / a
	const tiny = 1e-300
	c, d := 1.0, 1-(a+b)*x/(a+1)
	if math.Abs(d) < tiny {
		d = tiny
	}
	d = 1 / d
	f := d
	for m := 1.0; m < 1000; m++ {
		for _, e := range [2]float64{
			m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m)),
			-(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1)),
		} {
			d, c = 1+e*d, 1+e/c
			if math.Abs(d) < tiny {
				d = tiny
			}
			if math.Abs(c) < tiny {
				c = tiny
			}
			d = 1 / d
			f *= c * d
		}
		if math.Abs(c*d-1) < 1e-15 {
			break
		}
	}
	return front * f
}
