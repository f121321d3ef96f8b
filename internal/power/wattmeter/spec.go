package wattmeter

import (
	"fmt"
	"slices"
	"strings"
)

// specPower holds the mean power of servers with a microarchitecture, in W for each hardware
// thread.
type specPower struct {
	title      string
	idle, full float64
	family     string // family in hpc's table
	name       string // part of the processor's name; clients of the same family draw other power
}

// specSource says where the table comes from.
const specSource = "mean of SPECpower_ssj2008 results, by ccf-coefficients of 2026-04-24"

// specTable has watts per hardware thread: output/coefficients-aws-use.csv of ccf-coefficients
// (Apache-2.0, commit b0032d9), rounded. Its EPYC of the fifth generation is left out: it is five
// times the fourth, which no measurement bears out.
var specTable = []specPower{
	{"Haswell-EP", 1.86, 5.60, "haswellx", "Xeon"},
	{"Broadwell-EP", 0.71, 3.69, "broadwellx", "Xeon"},
	{"Skylake-SP", 0.61, 4.10, "skylakex", "Xeon"},
	{"Cascade Lake", 0.69, 4.06, "cascadelakex", "Xeon"},
	{"Ice Lake-SP", 0.77, 3.76, "icelakex", "Xeon"},
	{"Sapphire Rapids", 1.04, 4.16, "sapphirerapids", "Xeon"},
	{"Emerald Rapids", 0.81, 4.48, "emeraldrapids", "Xeon"},
	{"Granite Rapids", 0.58, 2.53, "graniterapids", "Xeon"},
	{"EPYC, Zen", 0.85, 2.60, "zen1", "EPYC"},
	{"EPYC, Zen 2", 0.47, 1.69, "zen2", "EPYC"},
	{"EPYC, Zen 3", 0.46, 1.96, "zen3", "EPYC"},
	{"EPYC, Zen 4", 0.74, 2.28, "zen4", "EPYC"},
}

// spec returns the rung of the table: a server of so many hardware threads, or a guest's part of
// one.
func spec(f *Facts) Rung {
	for _, s := range specTable {
		if !slices.Contains(f.Families, s.family) || !strings.Contains(f.Processor, s.name) ||
			f.CPUs <= 0 {
			continue
		}
		r := Rung{Name: Spec, Usable: true, LowW: s.idle * float64(f.CPUs),
			HighW: s.full * float64(f.CPUs)}
		r.Detail = fmt.Sprintf("%s, %d hardware threads: %.1f to %.1f W from idle to full load; %s",
			s.title, f.CPUs, r.LowW, r.HighW, specSource)
		return r
	}
	return Rung{Name: Spec, Detail: "this processor is not in it"}
}
