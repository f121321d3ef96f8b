package pages

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"math"

	"github.com/ebb-energy/ebb/internal/power/powermodel"
	"github.com/ebb-energy/ebb/internal/render/chart"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

//go:embed explanation.tmpl
var explanationText string

//go:embed path.js
var pathScript string

var explanationContent = chart.Content("explanation", explanationText)

// Explanation shows which inputs a model's predictions on a table come from.
type Explanation struct {
	Name, Table string // names of the files
	Explained   *powermodel.Explained
	Ablation    []powermodel.Ablation // nil for none
}

const (
	maxBars    = 24  // most parts in the ranking
	maxViolins = 8   // most violins, as in VESTA
	maxClouds  = 4   // most parts shown by their inputs
	maxPoints  = 600 // most points in a cloud
	maxInTree  = 10  // most characters of a name in the tree, whose levels stand close
)

// Write writes the page.
func (e *Explanation) Write(w io.Writer) error {
	x := e.Explained
	order := x.Ranking()
	data := map[string]any{
		"Base": fmt.Sprintf("%.1f W", x.Base), "Table": printable.Name(e.Table),
		"Rows": len(x.Values), "Ranking": chart.FigureHTML(e.ranking(order)),
		"Violins": chart.FigureHTML(e.violins(order)),
	}
	shown := e.sample()
	var clouds []chart.Figure
	for _, part := range order[:min(maxClouds, len(order))] {
		clouds = append(clouds, e.cloud(part, shown))
	}
	data["Clouds"] = figures(clouds...)
	if x.Model.Trees() > 0 {
		paths, err := json.Marshal(e.paths(shown)) // escapes whatever would end the script
		if err != nil {
			return fmt.Errorf("make the paths: %w", err)
		}
		data["Tree"], data["Trees"] = chart.FigureHTML(e.tree()), x.Model.Trees()
		data["Paths"], data["Script"] = template.JS(paths), template.JS(pathScript)
	}
	if len(e.Ablation) > 0 {
		data["Ablation"] = chart.FigureHTML(e.ablation())
	}
	name := printable.Name(e.Name)
	p := chart.Page{Title: name + ": explained",
		Heading: "Where the predictions of " + name + " come from", Content: explanationContent,
		Data: data}
	return p.Write(w)
}

// ranking draws the mean absolute parts.
func (e *Explanation) ranking(order []int) chart.Bars {
	f := chart.Bars{Title: "Mean absolute part of a prediction",
		Y:      chart.Axis{Label: "part", Unit: "W"},
		Series: []chart.Series{{Name: "mean |SHAP|"}}}
	for _, i := range order[:min(maxBars, len(order))] {
		f.Groups = append(f.Groups, short(e.Explained.Parts[i]))
		f.Series[0].Values = append(f.Series[0].Values, e.Explained.MeanAbsolute[i])
	}
	return f
}

// violins draws each part over the intervals in which its input was not zero.
func (e *Explanation) violins(order []int) chart.Violins {
	x := e.Explained
	f := chart.Violins{Title: "Parts of the intervals whose input is above zero",
		X: chart.Axis{Label: "part", Unit: "W", Zero: true}}
	for _, i := range order[:min(maxViolins, len(order))] {
		var values []float64
		for r, parts := range x.Values {
			if x.Value(i, r) > 0 {
				values = append(values, parts[i])
			}
		}
		f.Names, f.Values = append(f.Names, short(x.Parts[i])), append(f.Values, values)
	}
	return f
}

// sample returns the rows that the clouds show, evenly spread.
func (e *Explanation) sample() (rows []int) {
	all := len(e.Explained.Values)
	n := min(all, maxPoints)
	for i := range n {
		rows = append(rows, i*all/n)
	}
	return rows
}

// cloud draws a part by its input, with the measured power as colour.
func (e *Explanation) cloud(part int, rows []int) chart.Cloud {
	x := e.Explained
	name := printable.Name(x.Parts[part])
	scale, unit := e.unit(part, rows)
	f := chart.Cloud{Title: "Part of " + name, X: chart.Axis{Label: name, Unit: unit},
		Y: chart.Axis{Label: "part", Unit: "W", Zero: true}, Warmth: chart.Axis{Unit: "W"}}
	for i, r := range rows {
		value := x.Value(part, r) / scale
		if math.IsInf(value, 0) {
			continue
		}
		f.Points = append(f.Points, chart.Warm{What: e.program(r), X: value,
			Y: x.Values[r][part], Warmth: x.Table.Power[r], Key: i})
	}
	return f
}

// unit returns the divisor of a part's input in a cloud, which makes the axis's numbers short.
func (e *Explanation) unit(part int, rows []int) (scale float64, name string) {
	most := 0.0
	for _, r := range rows {
		most = max(most, math.Abs(e.Explained.Value(part, r)))
	}
	switch {
	case most >= 1e9:
		return 1e9, "billions"
	case most >= 1e6:
		return 1e6, "millions"
	case most >= 1e4:
		return 1e3, "thousands"
	}
	return 1, ""
}

// short returns a name for a narrow place. The text output has it whole.
func short(name string) string { return shortened(name, 20) }

// shortened returns a name cut to a number of characters.
func shortened(name string, most int) string {
	r := []rune(printable.Name(name))
	if len(r) <= most {
		return string(r)
	}
	return string(r[:most-1]) + "…"
}

func (e *Explanation) program(row int) string {
	t := e.Explained.Table
	return printable.Name(t.Programs[t.Program[row]])
}

// tree draws the model's first tree, which explains the most.
func (e *Explanation) tree() chart.Tree {
	f := chart.Tree{Title: "The first tree"}
	for _, n := range e.Explained.Model.Tree(0) {
		node := chart.TreeNode{Left: n.Left, Text: fmt.Sprintf("%+.3g W", n.Value),
			Title: fmt.Sprintf("%.0f intervals, %+.3g W on average", n.Cover, n.Value)}
		if n.Left > 0 {
			node.Text = fmt.Sprintf("%s < %.3g", shortened(n.Part, maxInTree), n.Split)
			node.Title = printable.Name(n.Part) + ": " + node.Title
		}
		f.Nodes = append(f.Nodes, node)
	}
	return f
}

// paths has, for each point of the clouds, its path through the first tree, and words for it.
type paths struct {
	Nodes [][]int  `json:"nodes"` // nodes of each path, by key
	Words []string `json:"words"`
}

func (e *Explanation) paths(rows []int) (out paths) {
	x := e.Explained
	tree := x.Model.Tree(0)
	above := make([]int, len(tree))
	for i, n := range tree {
		if n.Left > 0 {
			above[n.Left], above[n.Left+1] = i, i
		}
	}
	values := make([]float64, len(x.Table.Columns))
	for _, r := range rows {
		for k, c := range x.Table.Columns {
			values[k] = c[r]
		}
		way := []int{}
		for n := x.Model.Leaf(0, values); n > 0; n = above[n] {
			way = append(way, n)
		}
		out.Nodes = append(out.Nodes, append(way, 0))
		out.Words = append(out.Words, fmt.Sprintf("%s, interval %d: %.1f W measured, %.1f W "+
			"predicted", e.program(r), r+1, x.Table.Power[r], x.Power[r]))
	}
	return out
}

// ablation draws the error by the number of inputs.
func (e *Explanation) ablation() chart.Lines {
	line := chart.Line{Name: "left out"}
	for _, a := range e.Ablation {
		line.X, line.Y = append(line.X, float64(a.Inputs)), append(line.Y, 100*a.LeftOut)
	}
	return chart.Lines{Title: "Error with the first inputs alone",
		X:     chart.Axis{Label: "number of inputs"},
		Y:     chart.Axis{Label: "error of a program's energy", Unit: "%", Zero: true},
		Lines: []chart.Line{line}}
}
