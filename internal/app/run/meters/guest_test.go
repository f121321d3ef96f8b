package meters

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/power/activity"
	"github.com/ebb-energy/ebb/internal/power/powermodel"
)

// busyOn are the inputs of a machine with so many CPUs of which these shares are busy, in percent,
// independently of each other.
func busyOn(cpus int, busy []float64) activity.Inputs {
	in := activity.Idle(cpus)
	at := []float64{1} // the probability that so many are busy
	for _, b := range busy {
		in["cpu_user"] += b / float64(cpus)
		in["cpu_busy"] += b / float64(cpus)
		next := make([]float64, len(at)+1)
		for n, p := range at {
			next[n] += p * (1 - b/100)
			next[n+1] += p * b / 100
		}
		at = next
	}
	for n := 1; n <= cpus; n *= 2 {
		sum := 0.0
		for k := n; k < len(at); k++ {
			sum += at[k]
		}
		in[fmt.Sprintf("busy_cpus_%d", n)] = 100 * sum
	}
	return in
}

// concave is the power of a machine whose shared parts wake first, in W.
func concave(in activity.Inputs) float64 {
	return 20 + 0.25*in["cpu_busy"] + 0.12*in["busy_cpus_1"]
}

// TestGuestsPart: of a machine with eight CPUs a guest has two. By the convention its part is two
// eighths of the idle power and what its work adds to that of its neighbours. The interval holds it
// whatever these do, and the point lies between what work adds beside idle and busy neighbours.
func TestGuestsPart(t *testing.T) {
	const all, own = 8, 2
	r := rand.New(rand.NewPCG(1, 1))
	shares := func(n int) []float64 {
		out, level := make([]float64, n), r.Float64()
		for i := range out {
			out[i] = 100 * min(level*2*r.Float64(), 1)
		}
		return out
	}
	var text strings.Builder
	names := activity.Names(all)
	fmt.Fprintf(&text, "p,w,%s\n", strings.Join(names, ","))
	for i := range 1200 {
		busy := shares(all)
		if i%12 == 0 {
			busy = make([]float64, all)
		}
		in := busyOn(all, busy)
		fmt.Fprintf(&text, "p%d,%.3f", i%12, concave(in)+r.NormFloat64()/2)
		for _, name := range names {
			fmt.Fprintf(&text, ",%.4f", in[name])
		}
		fmt.Fprintln(&text)
	}
	table, err := powermodel.ReadCSV(strings.NewReader(text.String()), "w", "p", powermodel.Kernel)
	if err != nil {
		t.Fatal(err)
	}
	m, err := powermodel.Train(table, powermodel.Default, powermodel.Provenance{CPUModel: "A",
		CPUs: all})
	if err != nil {
		t.Fatal(err)
	}
	g := guestOf(m, "A", own, true)
	if g == nil || guestOf(m, "A", own, false) != nil || guestOf(m, "B", own, true) != nil ||
		guestOf(m, "A", all, true) != nil {
		t.Fatal("which machines are guests")
	}
	held, worst := 0, 0.0
	const tries = 400
	for range tries {
		mine, others := shares(own), shares(all-own)
		in := busyOn(own, mine)
		p := g.predict(m, in)
		alone := concave(busyOn(all, append(make([]float64, all-own), mine...)))
		truth := concave(activity.Idle(all))*own/all +
			concave(busyOn(all, append(others, mine...))) -
			concave(busyOn(all, append(others, make([]float64, own)...)))
		if truth >= p.Low && truth <= p.High {
			held++
		}
		if p.Low > p.Power || p.High < p.Power || p.Power > alone {
			t.Fatalf("%v W of %.1f to %.1f, alone the machine draws %.1f", p.Power, p.Low, p.High,
				alone)
		}
		worst = max(worst, math.Abs(p.Power-truth))
	}
	t.Logf("%d of %d held, at most %.1f W off", held, tries, worst)
	if held < tries*9/10 {
		t.Errorf("%d of %d held", held, tries)
	}
	idle := g.predict(m, activity.Idle(own))
	if want := 20.0 * own / all; math.Abs(idle.Power-want) > 1 {
		t.Errorf("with nothing to do %.1f W, not %.1f", idle.Power, want)
	}
}
