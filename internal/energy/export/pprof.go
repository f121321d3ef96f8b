package export

import (
	"fmt"
	"io"

	pprof "github.com/google/pprof/profile"

	"github.com/ebb-energy/ebb/internal/energy/profile"
)

// PProf writes a profile for go tool pprof and its like, gzipped, with the sample types
// samples/count, cpu/nanoseconds and, where there are joules, energy, shown first: in nJ, uJ, mJ, J
// or kJ, because go tool pprof scales only bytes and times. Threads and phases are labels. Where
// the network was counted there are also network/bytes and, with a card,
// network_modelled/nanojoules.
func PProf(w io.Writer, p *profile.Profile, rule int) error {
	unit := scaleOf(p, rule)
	out := &pprof.Profile{
		SampleType: []*pprof.ValueType{{Type: "samples", Unit: "count"},
			{Type: "cpu", Unit: "nanoseconds"}},
		DefaultSampleType: "cpu",
		PeriodType:        &pprof.ValueType{Type: "cpu", Unit: "nanoseconds"},
		DurationNanos:     p.WallNS,
		Comments:          comments(p, rule),
	}
	if p.Joules() {
		out.SampleType = append(out.SampleType, &pprof.ValueType{Type: "energy", Unit: unit.name})
		out.DefaultSampleType = "energy"
	}
	times := p.StackTimes()
	out.Period = periodOf(p, times)
	mappings := map[string]*pprof.Mapping{}
	locations := make([]*pprof.Location, len(p.Frames))
	for i, f := range p.Frames {
		m := mappings[f.Module]
		if m == nil && f.Module != "" {
			m = &pprof.Mapping{ID: uint64(len(mappings) + 1), File: f.Module, HasFunctions: true}
			mappings[f.Module] = m
			out.Mapping = append(out.Mapping, m)
		}
		fn := &pprof.Function{ID: uint64(i + 1), Name: f.Name, SystemName: f.Name}
		out.Function = append(out.Function, fn)
		locations[i] = &pprof.Location{ID: uint64(i + 1), Mapping: m,
			Line: []pprof.Line{{Function: fn}}}
	}
	out.Location = locations
	for i := range p.Stacks {
		s := &p.Stacks[i]
		t := &p.Threads[s.Thread]
		if len(s.Frames) == 0 {
			// pprof has no place for threads that were never sampled. The comments have their
			// energy.
			continue
		}
		values := []int64{int64(s.Samples), times[i]}
		if p.Joules() {
			values = append(values, unit.next(s.EnergyNJ[rule]))
		}
		sample := sampleOf(t, s.Frames, locations, values...)
		if s.Virtual > 0 {
			sample.Label["thread"] = []string{p.Ran(s)}
			sample.NumLabel["virtual_thread"] = []int64{int64(p.VirtualThreads[s.Virtual-1].ID)}
		}
		out.Sample = append(out.Sample, sample)
	}
	transfers(out, p, locations)
	if err := out.CheckValid(); err != nil {
		return fmt.Errorf("make a pprof profile: %w", err)
	}
	if err := out.Write(w); err != nil {
		return fmt.Errorf("write pprof profile: %w", err)
	}
	return nil
}

// periodOf returns the CPU time from sample to sample, in ns: the mean where sampling gave way, so
// that the number of samples times it is what they stand for.
func periodOf(p *profile.Profile, times []int64) int64 {
	var samples, sampled int64
	for i := range p.Stacks {
		if n := int64(p.Stacks[i].Samples); n > 0 {
			samples, sampled = samples+n, sampled+times[i]
		}
	}
	switch {
	case p.RateHz <= 0:
		return 0
	case p.LeastRateHz > 0 && samples > 0 && sampled > 0:
		return sampled / samples
	}
	return int64(1e9) / int64(p.RateHz)
}

func sampleOf(
	t *profile.Thread, frames []int, locations []*pprof.Location, values ...int64,
) *pprof.Sample {
	s := &pprof.Sample{
		Value:    values,
		Label:    map[string][]string{"thread": {t.Title()}, "phase": {t.Phase}},
		NumLabel: map[string][]int64{"tid": {int64(t.TID)}, "pid": {int64(t.PID)}},
	}
	for _, f := range frames {
		s.Location = append(s.Location, locations[f])
	}
	return s
}

// transfers adds the traffic, as samples of its own.
func transfers(out *pprof.Profile, p *profile.Profile, locations []*pprof.Location) {
	n := p.Network
	if n == nil {
		return
	}
	before := len(out.SampleType)
	out.SampleType = append(out.SampleType, &pprof.ValueType{Type: "network", Unit: "bytes"})
	out.Comments = append(out.Comments, "network: "+n.Line())
	if n.Card != "" {
		out.SampleType = append(out.SampleType,
			&pprof.ValueType{Type: "network_modelled", Unit: "nanojoules"})
	}
	for _, s := range out.Sample {
		s.Value = append(s.Value, make([]int64, len(out.SampleType)-len(s.Value))...)
	}
	var unreported profile.Traffic
	for i := range n.Transfers {
		x := &n.Transfers[i]
		if len(x.Frames) == 0 {
			unreported.Add(&x.Traffic)
			continue
		}
		values := append(make([]int64, before), int64(x.All()), x.EnergyNJ)
		out.Sample = append(out.Sample,
			sampleOf(&p.Threads[x.Thread], x.Frames, locations, values[:len(out.SampleType)]...))
	}
	out.Comments = append(out.Comments,
		fmt.Sprintf("%d bytes of unknown callers are left out", unreported.All()))
}

// comments says what the energies are.
func comments(p *profile.Profile, rule int) (out []string) {
	unit := "nJ"
	if !p.Joules() {
		out, unit = append(out, "no energy: nothing says what the machine draws"), "ns"
	}
	for i := range p.Zones {
		z := &p.Zones[i]
		c := fmt.Sprintf("zone %s: %s", z.Name, z.Source)
		if z.Model != "" {
			c += " by " + z.Model
		}
		out = append(out, fmt.Sprintf("%s, %d %s in all; "+
			"rule %s: %d attributed, %d others, %d idle, %d unattributed",
			c, z.TotalNJ, unit, p.Rules[rule], z.Attr[rule], z.OthersNJ[rule], z.IdleNJ[rule],
			z.RestNJ[rule]))
	}
	var unseen int64
	for i := range p.Stacks {
		if len(p.Stacks[i].Frames) == 0 {
			unseen += p.Stacks[i].EnergyNJ[rule]
		}
	}
	return append(out, fmt.Sprintf("%d %s of threads that were never sampled are left out", unseen,
		unit))
}
