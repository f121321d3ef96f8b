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

// Speedscope writes a profile for speedscope, one for each thread, weighted with energy. Its format
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
	of := make([][]int, len(p.Threads))
	for i := range p.Stacks {
		of[p.Stacks[i].Thread] = append(of[p.Stacks[i].Thread], i)
	}
	for t := range p.Threads {
		one := speedscopeProfile{
			Type: "sampled", Name: fmt.Sprintf("%s (%s)%s", p.Threads[t].Title(),
				p.Threads[t].Number(), name), Unit: weighs, Samples: [][]int{}, Weights: []int64{},
		}
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
