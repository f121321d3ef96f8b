package export

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// speedscope's file format, as far as it is used (github.com/jlfwong/speedscope, file-format-spec).
type speedscope struct {
	Schema   string              `json:"$schema"`
	Exporter string              `json:"exporter"`
	Name     string              `json:"name"`
	Shared   speedscopeShared    `json:"shared"`
	Profiles []speedscopeProfile `json:"profiles"`
}

type speedscopeShared struct {
	Frames []speedscopeFrame `json:"frames"`
}

type speedscopeFrame struct {
	Name string `json:"name"`
	File string `json:"file,omitempty"`
}

type speedscopeProfile struct {
	Type    string  `json:"type"`
	Name    string  `json:"name"`
	Unit    string  `json:"unit"`
	Start   int64   `json:"startValue"`
	End     int64   `json:"endValue"`
	Samples [][]int `json:"samples"`
	Weights []int64 `json:"weights"`
}

// Speedscope writes a profile for speedscope, one for each thread, virtual ones among
// them, weighted with energy. Its format
// knows no unit of energy, so the names have it. Without joules the weight is CPU time.
func Speedscope(w io.Writer, p *profile.Profile, rule int) error {
	unit := scaleOf(p, rule)
	out := speedscope{Schema: "https://www.speedscope.app/file-format-schema.json", Exporter: "ebb",
		Name: "energy in " + unit.name + ", rule " + p.Rules[rule]}
	weighs, name := "none", ", "+unit.name
	if !p.Joules() {
		weighs, name, out.Name = "nanoseconds", "", "CPU time, rule "+p.Rules[rule]
	}
	for _, f := range p.Frames {
		out.Shared.Frames = append(out.Shared.Frames, speedscopeFrame{f.Name, f.Module})
	}
	var names []string
	for i := range p.Threads {
		names = append(names, fmt.Sprintf("%s (%s)", p.Threads[i].Title(), p.Threads[i].Number()))
	}
	names = append(names, p.VirtualUnits()...)
	of := make([][]int, len(names))
	for i := range p.Stacks {
		t := p.Stacks[i].Thread
		if v := p.Stacks[i].Virtual; v > 0 {
			t = len(p.Threads) + v - 1
		}
		of[t] = append(of[t], i)
	}
	for t := range names {
		one := speedscopeProfile{Type: "sampled", Name: names[t] + name, Unit: weighs,
			Samples: [][]int{}, Weights: []int64{}}
		for _, i := range of[t] {
			s := &p.Stacks[i]
			if len(s.Frames) == 0 {
				continue
			}
			if weight := unit.next(s.EnergyNJ[rule]); weight > 0 {
				frames := slices.Clone(s.Frames)
				slices.Reverse(frames)
				one.Samples = append(one.Samples, frames)
				one.Weights = append(one.Weights, weight)
				one.End += weight
			}
		}
		if len(one.Samples) > 0 {
			out.Profiles = append(out.Profiles, one)
		}
	}
	if err := json.NewEncoder(printable.JSON(w)).Encode(&out); err != nil {
		return fmt.Errorf("write speedscope profile: %w", err)
	}
	return nil
}
