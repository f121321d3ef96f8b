package export

import (
	"fmt"
	"io"

	pprof "github.com/google/pprof/profile"

	"github.com/ebb-energy/ebb/energy/profile"
)

// PProf writes a profile for go tool pprof and its like, gzipped, with the sample types samples/count, cpu/nanoseconds and
// energy/microjoules, energy shown first. Threads and phases are labels.
func PProf(w io.Writer, p *profile.Profile, rule int) error {
	out := &pprof.Profile{
		SampleType:        []*pprof.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}, {Type: "energy", Unit: "microjoules"}},
		DefaultSampleType: "energy",
		PeriodType:        &pprof.ValueType{Type: "cpu", Unit: "nanoseconds"},
		DurationNanos:     p.WallNS,
		Comments:          comments(p, rule),
	}
	if p.RateHz > 0 {
		out.Period = int64(1e9) / int64(p.RateHz)
	}
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
		locations[i] = &pprof.Location{ID: uint64(i + 1), Mapping: m, Line: []pprof.Line{{Function: fn}}}
	}
	out.Location = locations
	times := p.StackTimes()
	for i := range p.Stacks {
		s := &p.Stacks[i]
		t := &p.Threads[s.Thread]
		sample := &pprof.Sample{
			Value:    []int64{int64(s.Samples), times[i], s.EnergyNJ[rule] / 1000},
			Label:    map[string][]string{"thread": {t.Comm}, "phase": {t.Phase}},
			NumLabel: map[string][]int64{"tid": {int64(t.TID)}, "pid": {int64(t.PID)}},
		}
		for _, f := range s.Frames {
			sample.Location = append(sample.Location, locations[f])
		}
		if len(sample.Location) == 0 {
			continue // pprof has no place for what was never sampled; the comments tell how much it is
		}
		out.Sample = append(out.Sample, sample)
	}
	if err := out.CheckValid(); err != nil {
		return fmt.Errorf("make a pprof profile: %w", err)
	}
	if err := out.Write(w); err != nil {
		return fmt.Errorf("write pprof profile: %w", err)
	}
	return nil
}

// comments say what the energies are.
func comments(p *profile.Profile, rule int) (out []string) {
	for i := range p.Zones {
		z := &p.Zones[i]
		c := fmt.Sprintf("zone %s: %s", z.Name, z.Source)
		if z.Model != "" {
			c += " by " + z.Model
		}
		out = append(out, fmt.Sprintf("%s, %d nJ in all; rule %s: %d attributed, %d others, %d idle, %d unattributed",
			c, z.TotalNJ, p.Rules[rule], z.Attr[rule], z.OthersNJ[rule], z.IdleNJ[rule], z.RestNJ[rule]))
	}
	var unseen int64
	for i := range p.Stacks {
		if len(p.Stacks[i].Frames) == 0 {
			unseen += p.Stacks[i].EnergyNJ[rule]
		}
	}
	return append(out, fmt.Sprintf("%d nJ of threads that were never sampled are left out", unseen))
}
