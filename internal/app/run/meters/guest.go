package meters

import (
	"math"
	"strconv"
	"strings"

	"github.com/ebb-energy/ebb/internal/power/activity"
	"github.com/ebb-energy/ebb/internal/power/powermodel"
)

// guestPart is a guest with some of the CPUs of the machine that a model was trained on. Its power
// has two parts by convention: the share of its CPUs in the machine's idle power, and the power
// that its work adds. The second depends on the neighbours' work, which nothing in a guest shows.
// The point is the middle between neighbours that do nothing and neighbours that use all of their
// CPUs, and the interval holds both.
type guestPart struct{ cpus, all int }

// predict returns the power of the guest's part.
func (g guestPart) predict(m *powermodel.Model, in activity.Inputs) powermodel.Prediction {
	at := func(in activity.Inputs) powermodel.Prediction { return m.Predict(m.Values(in, nil)) }
	nothing := activity.Idle(g.all)
	idle := at(nothing).Power
	alone, beside := at(g.beside(in, 0)), at(g.beside(in, g.all-g.cpus))
	share := idle * float64(g.cpus) / float64(g.all)
	one := alone.Power - idle
	other := beside.Power - at(g.beside(nothing, g.all-g.cpus)).Power
	p := powermodel.Prediction{Power: max(share+(one+other)/2, 0), Low: math.NaN(),
		High: math.NaN(), Outside: alone.Outside}
	if !math.IsNaN(alone.High) {
		half := alone.High - alone.Power // possible error of the model, for the whole machine
		p.Low = max(share+min(one, other)-half, 0)
		p.High = share + max(one, other) + half
	}
	return p
}

// beside returns the inputs of the whole machine while the guest's own inputs are in, and
// neighbours keep the given number of other CPUs busy.
func (g guestPart) beside(in activity.Inputs, neighbours int) activity.Inputs {
	out := activity.Inputs{}
	share := 100 * float64(neighbours) / float64(g.all)
	for name, x := range in {
		if strings.HasPrefix(name, "cpu_") {
			x *= float64(g.cpus) / float64(g.all)
		}
		out[name] = x
	}
	out["cpu_user"] += share
	out["cpu_busy"] += share
	for _, name := range activity.Names(g.all) {
		level, ok := strings.CutPrefix(name, "busy_cpus_")
		if !ok {
			continue
		}
		n, _ := strconv.Atoi(level) // activity made the name, so it has a number
		out[name] = g.level(in, n-neighbours)
	}
	return out
}

// level returns the share of time with at least n of the guest's CPUs busy, in percent.
func (g guestPart) level(in activity.Inputs, n int) float64 {
	if n <= 0 {
		return 100
	}
	for k := 1; k <= g.cpus; k *= 2 {
		if k >= n {
			return in["busy_cpus_"+strconv.Itoa(k)]
		}
	}
	return 0
}

// guestOf returns the part that a guest has of a model's machine. It returns nil where the machine
// is no guest, has another processor, or has at least as many CPUs.
func guestOf(m *powermodel.Model, cpuModel string, cpus int, guest bool) *guestPart {
	p := &m.Provenance
	if !guest || p.CPUModel != cpuModel || cpus <= 0 || p.CPUs <= cpus {
		return nil
	}
	return &guestPart{cpus, p.CPUs}
}
