package correction

import "math"

// anchor learns the bias of predictions. It compares neighbouring stretches of a program that ran
// at different frequencies and were alike otherwise. Each was predicted to one frequency, as
// running time per instruction. If predictions are unbiased, the two differ only as the stretches
// do; if not, also by the bias times the difference of the distances predicted over:
//
//	ln(T2/T1) = s (c2 - c1) + m (d2 - c2 - d1 + c1)
//	            + a (x2 - x1) + b (x2^2 - x1^2) + g (w2 - w1) + noise
//
// with d = ln(target / base), c the part of it by which the time was predicted to change, x the
// logarithm of the use of memory per instruction and w that of the threads running at a time: more
// use takes more time, and more threads at a time wait for each other at the memory. Without these
// terms the program's own changes would look like a bias, because a governor chooses low
// frequencies where memory is used much.
//
// Predictions are biased for two reasons, which are estimated separately. Some apparent computing
// is waiting, as for instructions that the caches do not hold, and no counter of the set shows it:
// s, in proportion to the predicted change. And at a lower clock requests come slower, wait less
// for each other at the memory, and take less time each: m, in proportion to the part predicted not
// to change. One bias for both would apply what was learned from computing to a collection that
// waits for memory most of the time.
//
// It is recursive least squares, with the biases of recorded programs as a prior; without stretches
// at different frequencies it stays there. It is deterministic, and not safe for concurrent use.
type anchor struct {
	// Complete: predictions account for both reasons (predictor.Predictor.Complete), so that little
	// of them should remain.
	Complete bool

	n     int                   // pairs observed; with none the fields below are not set
	size  [terms]float64        // the estimates of s, m, a, b and g
	cov   [terms][terms]float64 // their covariance, symmetric
	noise float64               // variance of a pair, ln; not below leastNoise squared
	scale float64               // the first x, taken off the others so that x^2 stays small
}

// Stretch is a part of a program's run that an anchor compares with another.
type Stretch struct {
	// Time is the running time of its threads per instruction, predicted to the target frequency.
	Time     float64
	Distance float64 // ln(target / base)
	// Change is the part of Distance by which the time was predicted to change: ln(time at the base
	// / Time).
	Change float64
	// Intensity is the use of the memory per instruction, in any unit that does not depend on
	// frequency: say, requests.
	Intensity float64
	Threads   float64 // mean number of threads running at a time
}

const (
	termScaling = iota
	termFixed
	termIntensity
	termSquare
	termThreads
	terms
)

const (
	// priorScaling and priorFixed are the standard deviations of s and m over programs. On
	// recorded programs, predicted from 3 to 4 GHz by three estimators, the root of the mean square
	// is 0.06 to 0.08 per ln of frequency.
	priorScaling, priorFixed = 0.07, 0.05
	// meanScaling and meanFixed are the means: least squares over the same programs, both ways
	// between 3 and 4 GHz, gives -0.03 to -0.05 and 0 to -0.04 by the estimator. All of them miss
	// some waiting; none sees much that is not there.
	meanScaling, meanFixed = -0.04, -0.02
	// priorComplete is the standard deviation of both where predictions are complete, about no
	// mean. On the same programs half of the biases are then within 0.02. Wider, what is learned
	// from a hundred quanta is their noise: simulated, a run's slowdown scatters twice as much.
	priorComplete = 0.02
	// firstNoise is the standard deviation of a pair before there are any.
	firstNoise = 0.01
	// leastNoise is the lowest accepted estimate.
	leastNoise = 0.002
	// drift is the standard deviation of a bias's change from one pair to the next.
	drift = 0.0002
	// oneFrequency is the distance, ln, below which two stretches show no bias.
	oneFrequency = 0.01
	// farIntensity and farThreads are the differences, ln, beyond which a pair are no neighbours.
	farIntensity, farThreads = 0.3, 0.2
	// halfWeight is the difference, ln, at which a pair says half as much as one without.
	halfWeight = 0.1
)

// begin sets the priors: time rises with intensity, not more than in proportion.
func (a *anchor) begin(x float64) {
	mean, width := a.prior()
	a.size = [terms]float64{termScaling: mean[0], termFixed: mean[1], termIntensity: 0.5}
	a.cov = [terms][terms]float64{}
	for i, s := range [terms]float64{width[0], width[1], 0.5, 0.5, 0.5} {
		a.cov[i][i] = s * s
	}
	a.noise, a.scale = firstNoise*firstNoise, x
}

// prior returns the means and standard deviations of s and m before the first observation.
func (a *anchor) prior() (mean, width [2]float64) {
	if a.Complete {
		return mean, [2]float64{priorComplete, priorComplete}
	}
	return [2]float64{meanScaling, meanFixed}, [2]float64{priorScaling, priorFixed}
}

// Observe enters two stretches, the second right after the first. It returns false when they were
// too different to learn from. Own is what is left of the bias in their phase; nil where nothing is
// known of that.
func (a *anchor) Observe(s1, s2 *Stretch, own *residual) bool {
	x1, x2 := math.Log(s1.Intensity), math.Log(s2.Intensity)
	w := math.Log(s2.Threads / s1.Threads)
	y, d, c := math.Log(s2.Time/s1.Time), s2.Distance-s1.Distance, s2.Change-s1.Change
	if !finite(x1) || !finite(x2) || !finite(w) || !finite(y) || !finite(d) || !finite(c) ||
		math.Abs(x2-x1) > farIntensity || math.Abs(w) > farThreads {
		return false
	}
	if a.n == 0 {
		a.begin(x1)
	}
	a.n++
	x1, x2 = x1-a.scale, x2-a.scale
	if math.Abs(d) < oneFrequency {
		d, c = 0, 0 // the predicted parts differ only by what the program did
	}
	h := [terms]float64{c, d - c, x2 - x1, x2*x2 - x1*x1, w}
	a.cov[termScaling][termScaling] += drift * drift
	a.cov[termFixed][termFixed] += drift * drift

	var p [terms]float64
	known := 0.0 // the variance of the forecast
	r := y
	for i := range h {
		for j := range h {
			p[i] += float64(a.cov[i][j] * h[j])
		}
		r -= float64(a.size[i] * h[i])
	}
	for i := range h {
		known += float64(h[i] * p[i])
	}
	// The farther apart two stretches are, the more the other terms must explain, and the less the
	// pair counts.
	unlike := 1 + (h[termIntensity]*h[termIntensity]+w*w)/(halfWeight*halfWeight)
	spread := known + a.noise*unlike
	if own != nil {
		r -= float64(own.size * d)
		spread += float64(float64(own.variance*d) * d)
	}
	// A difference beyond three deviations means that the work was another: it teaches only that
	// there is such noise.
	limit := 3 * math.Sqrt(spread)
	if math.Abs(r) <= limit {
		for i := range h {
			a.size[i] += float64(p[i] / spread * r)
			for j := range h {
				a.cov[i][j] -= float64(p[i] / spread * p[j])
			}
		}
		if own != nil && own.teachable {
			own.learn(d, r, spread)
		}
	}
	r = min(max(r, -limit), limit)
	a.noise += (max((r*r-known)/unlike, leastNoise*leastNoise) - a.noise) / float64(min(a.n+8, 64))
	return true
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// bias returns the bias of a prediction over the distance d (ln(target / base)) that changes the
// time by the part c of it, and its standard deviation: the true time is the predicted one times
// exp(-bias). With nothing observed they are the prior's.
func (a *anchor) bias(d, c float64) (bias, deviation float64) {
	h := [2]float64{c, d - c}
	if a.n == 0 {
		mean, width := a.prior()
		return float64(mean[0]*h[0]) + float64(mean[1]*h[1]),
			math.Hypot(float64(width[0]*h[0]), float64(width[1]*h[1]))
	}
	variance := 0.0
	for i := range h {
		bias += float64(a.size[i] * h[i])
		for j := range h {
			variance += float64(float64(h[i]*a.cov[i][j]) * h[j])
		}
	}
	return bias, math.Sqrt(max(variance, 0))
}
