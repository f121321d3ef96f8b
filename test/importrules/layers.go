package importrules

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Layers sorts the packages of the rules so that each imports from later layers only. The first
// layer has the commands, the last the packages that import nothing of the module. A package is in
// the lowest layer that its imports allow. Programs and tests are in none: packages that import
// nothing, are not imported and are not pure.
func Layers(rules []Rule) [][]string {
	may := map[string][]string{}
	imported := map[string]bool{}
	for _, r := range rules {
		may[r.Package] = r.May
		for _, m := range r.May {
			imported[m] = true
		}
	}
	height := map[string]int{}
	var of func(name string) int
	of = func(name string) int {
		if h, known := height[name]; known {
			return h
		}
		height[name] = 0 // would end a circle, which Go does not allow
		h := 0
		for _, m := range may[name] {
			h = max(h, of(m)+1)
		}
		height[name] = h
		return h
	}
	top := 0
	for _, r := range rules {
		top = max(top, of(r.Package))
	}
	layers := make([][]string, top+1)
	for _, r := range rules {
		if h := height[r.Package]; h > 0 || imported[r.Package] || r.Pure {
			layers[top-h] = append(layers[top-h], r.Package)
		}
	}
	for _, l := range layers {
		slices.Sort(l)
	}
	return layers
}

// Sizes of the drawing, in its own units.
const (
	layerWidth  = 760
	labelWidth  = 34
	boxHeight   = 24
	boxGap      = 6
	letterWidth = 6.7
	layerGap    = 10
)

// Draw returns the layers as a drawing (SVG) that follows the reader's choice of light or dark.
// Pure packages are filled.
func Draw(rules []Rule) string {
	pure := map[string]bool{}
	for _, r := range rules {
		pure[r.Package] = r.Pure
	}
	var b strings.Builder
	y := 0
	for i, layer := range Layers(rules) {
		x, first := float64(labelWidth), y
		for _, name := range layer {
			w := letterWidth*float64(len(name)) + 14
			if x > labelWidth && x+w > layerWidth {
				x, y = labelWidth, y+boxHeight+boxGap
			}
			class := "box"
			if pure[name] {
				class = "box pure"
			}
			fmt.Fprintf(&b, `<rect class="%s" x="%.0f" y="%d" width="%.0f" height="%d" rx="4"/>`+
				`<text x="%.0f" y="%d">%s</text>`+"\n",
				class, x, y, w, boxHeight, x+7, y+16, name)
			x += w + boxGap
		}
		fmt.Fprintf(&b, `<text class="label" x="4" y="%d">%d</text>`+"\n", first+16, i+1)
		y += boxHeight + layerGap
		fmt.Fprintf(&b, `<line x1="0" x2="%d" y1="%d" y2="%d"/>`+"\n", layerWidth, y-layerGap/2,
			y-layerGap/2)
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 -4 %d %d" role="img">
<title>ebb's packages in layers: each imports only from layers below its own</title>
<!-- Generated from test/importrules/*rules.go: go test ./test/importrules -update -->
<style>
svg { background: #fff; font: 11px ui-monospace, "DejaVu Sans Mono", monospace; }
text { fill: #1d2733; }
.label { fill: #6a7886; }
.box { fill: none; stroke: #8795a3; }
.pure { fill: #dcebf7; stroke: #3b7cb3; }
line { stroke: #dde3e9; }
@media (prefers-color-scheme: dark) {
	svg { background: #12181e; }
	text { fill: #e3e9ef; }
	.label { fill: #93a1ae; }
	.box { stroke: #5d6b78; }
	.pure { fill: #1e3a52; stroke: #5b9fd4; }
	line { stroke: #2a3540; }
}
</style>
%s</svg>
`, layerWidth, y, b.String())
}

// Table returns the rules as a page of Markdown: for each package what it may import, less what
// other imports bring along, and why.
func Table(rules []Rule) string {
	reach := map[string]map[string]bool{}
	may := map[string][]string{}
	for _, r := range rules {
		may[r.Package] = r.May
	}
	var of func(name string) map[string]bool
	of = func(name string) map[string]bool {
		if reach[name] == nil {
			reach[name] = map[string]bool{}
			for _, m := range may[name] {
				reach[name][m] = true
				maps.Copy(reach[name], of(m))
			}
		}
		return reach[name]
	}
	var b strings.Builder
	for i, layer := range Layers(rules) {
		fmt.Fprintf(&b, "\n## Layer %d\n\n| package | stands on | why |\n| --- | --- | --- |\n",
			i+1)
		for _, name := range layer {
			r := rules[slices.IndexFunc(rules, func(r Rule) bool { return r.Package == name })]
			var direct []string
			for _, m := range r.May {
				if !slices.ContainsFunc(r.May,
					func(other string) bool { return other != m && of(other)[m] }) {
					direct = append(direct, "`"+m+"`")
				}
			}
			mark := ""
			if r.Pure {
				mark = " (pure)"
			}
			fmt.Fprintf(&b, "| `%s`%s | %s | %s |\n", name, mark, strings.Join(direct, ", "), r.Why)
		}
	}
	libraries(&b, rules)
	return b.String()
}

// libraries writes the table of other modules' packages, with the packages that may use each.
func libraries(b *strings.Builder, rules []Rule) {
	users := map[string][]string{}
	for _, r := range rules {
		for _, e := range r.Extern {
			users[e] = append(users[e], "`"+r.Package+"`")
		}
	}
	b.WriteString("\n## Libraries\n\n| library | packages that may use it |\n| --- | --- |\n")
	for _, library := range slices.Sorted(maps.Keys(users)) {
		slices.Sort(users[library])
		fmt.Fprintf(b, "| `%s` | %s |\n", library, strings.Join(users[library], ", "))
	}
}
