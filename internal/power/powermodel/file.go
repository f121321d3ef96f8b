package powermodel

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
)

// fileVersion is the version of the model file's format. A change that an older ebb would read
// wrongly raises it.
const fileVersion = 1

// Bounds of a model file.
const (
	maxModelBytes = 1 << 24
	maxTiers      = 5 // a model and its simpler ones
	maxTrees      = 4096
	maxNodes      = 1 << 19 // nodes of all trees
	maxWatts      = 1e9
)

// file is a model in JSON. docs/model.md describes it.
type file struct {
	Version    int            `json:"ebbmodel,omitempty"` // only at the top
	Learner    string         `json:"learner"`
	Tier       string         `json:"tier,omitempty"`
	Provenance Provenance     `json:"provenance"`
	Inputs     []fileInput    `json:"inputs"`
	MostBusy   float64        `json:"most_busy,omitempty"`
	Power      *[2]float64    `json:"power_w,omitempty"` // ends that predictions are clipped to
	Ratios     []fileRatio    `json:"ratios,omitempty"`  // the features, if not empty
	Line       *fileLine      `json:"line,omitempty"`
	Trees      *fileTrees     `json:"trees,omitempty"`
	Interval   *Interval      `json:"interval,omitempty"`
	Programs   []ProgramError `json:"programs,omitempty"`
	Simpler    *file          `json:"simpler,omitempty"`
}

type fileInput struct {
	Name  string      `json:"name"`
	Range *[2]float64 `json:"range,omitempty"`
	Busy  bool        `json:"busy,omitempty"`
}

// fileRatio is the sum of some inputs (Of) over the sum of others (By), or the plain sum without
// By.
type fileRatio struct {
	Name  string     `json:"name"`
	Of    []int      `json:"of"`
	By    []int      `json:"by,omitempty"`
	Range [2]float64 `json:"range"`
}

type fileLine struct {
	Base    float64   `json:"base_w"`
	Weights []float64 `json:"weights_w"`
	Means   []float64 `json:"means"` // means of the features trained on
}

type fileTrees struct {
	Of    string     `json:"of"` // "features" or "inputs"
	Base  float32    `json:"base_w"`
	Trees []fileTree `json:"trees"`
}

// fileTree holds a tree's nodes as lists. A leaf's feature is -1; an inner node's right side
// follows its left one.
type fileTree struct {
	Feature     []int     `json:"feature"`
	Split       []float32 `json:"split"`
	Left        []int     `json:"left"`
	MissingLeft []int     `json:"missing_left,omitempty"` // nodes that send NaN to the left
	Value       []float32 `json:"value_w"`
	Cover       []float32 `json:"cover"`
}

// Errors of ReadModel beside those of damaged files.
var (
	errForeign = errors.New("not a power model of ebb")
	errNewer   = errors.New("the power model is of a newer ebb")
)

// ReadModel reads a model file. It refuses one that is foreign, newer, damaged or too large, and
// one whose numbers or trees make no sense.
func ReadModel(r io.Reader) (*Model, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxModelBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read the power model: %w", err)
	}
	if len(text) > maxModelBytes {
		return nil, fmt.Errorf("the power model has more than %d bytes", maxModelBytes)
	}
	var head struct {
		Version *int `json:"ebbmodel"`
	}
	if err := json.Unmarshal(text, &head); err != nil || head.Version == nil ||
		*head.Version < 1 {
		return nil, errForeign
	}
	if *head.Version > fileVersion {
		return nil, fmt.Errorf("%w: version %d, and this ebb reads %d", errNewer, *head.Version,
			fileVersion)
	}
	var f file
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, fmt.Errorf("the power model is damaged: %w", misfit(err))
	}
	m, err := f.model(maxTiers)
	if err != nil {
		return nil, fmt.Errorf("the power model is damaged: %w", err)
	}
	return m, nil
}

// misfit returns an error of the JSON reader in a few words: its own text shows the whole type.
func misfit(err error) error {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return fmt.Errorf("%.80q is a %.20s", wrong.Field, wrong.Value)
	}
	return err
}

// Write writes the model file.
func (m *Model) Write(w io.Writer) error {
	f := m.file()
	f.Version = fileVersion
	text, err := json.Marshal(f)
	if err != nil {
		return fmt.Errorf("write the power model: %w", err)
	}
	if _, err := w.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("write the power model: %w", err)
	}
	return nil
}

// file returns the model in the form of its file.
func (m *Model) file() *file {
	p := m.formula
	f := &file{Learner: m.Learner, Tier: m.Tier, Provenance: m.Provenance, Interval: m.Interval,
		Programs: m.Programs, MostBusy: p.features.most}
	if !math.IsInf(p.high, 0) {
		f.Power = &[2]float64{p.low, p.high}
	}
	for _, in := range m.Inputs {
		out := fileInput{Name: in.Name}
		if !math.IsNaN(in.Low) {
			out.Range = &[2]float64{in.Low, in.High}
		}
		f.Inputs = append(f.Inputs, out)
	}
	for _, k := range p.features.busy {
		f.Inputs[k].Busy = true
	}
	for _, q := range p.features.ratios {
		f.Ratios = append(f.Ratios, fileRatio{q.name, q.of, q.by, [2]float64{q.low, q.high}})
	}
	if p.line != nil {
		f.Line = &fileLine{p.line.base, p.line.weights, p.line.mean}
	}
	if p.forest != nil {
		f.Trees = treesToFile(p.forest, p.raw)
	}
	if m.Simpler != nil {
		f.Simpler = m.Simpler.file()
	}
	return f
}

func treesToFile(forest *forest, raw bool) *fileTrees {
	out := &fileTrees{Of: "features", Base: forest.base}
	if raw {
		out.Of = "inputs"
	}
	for _, tree := range forest.trees {
		var f fileTree
		for i, n := range tree {
			f.Feature, f.Split = append(f.Feature, n.feature), append(f.Split, n.split)
			f.Left, f.Value = append(f.Left, n.left), append(f.Value, n.value)
			f.Cover = append(f.Cover, n.cover)
			if n.missingLeft {
				f.MissingLeft = append(f.MissingLeft, i)
			}
		}
		out.Trees = append(out.Trees, f)
	}
	return out
}
