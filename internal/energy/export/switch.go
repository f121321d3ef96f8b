package export

import (
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// Table is a view of the profile, divided by a rule. A reader can switch between several.
type Table struct {
	View string
	Rule int // index of a rule of the profile
	Rows []profile.Row
}

// tableBody is a Table as the page has it. All but the first are hidden.
type tableBody struct {
	View, Rule string
	Rows       []rowLine
	Once       *onceLine // stands for the rows with one sample each; nil for none
	Own        *rowLine  // ebb's own line, the last
	More       int       // number of rows left out
	Hidden     bool
}

// maxSwitched bounds the rows of a table that is not the page's own.
const maxSwitched = 20

// bodyOf returns the rows of a view by a rule, at most so many.
func bodyOf(
	p *profile.Profile, view string, rule int, rows []profile.Row, most int,
) tableBody {
	b := tableBody{View: view, Rule: printable.Name(p.Rules[rule]), Own: ownLine(p, rule)}
	rows, b.Once = withoutOnce(p, view, rows)
	n := min(len(rows), most)
	b.Rows, b.More = rowLines(p, rows[:n]), len(rows)-n
	return b
}

// bodies returns the page's own rows, and those of the other tables.
func bodies(p *profile.Profile, own tableBody, tables []Table) []tableBody {
	out := []tableBody{own}
	for _, t := range tables {
		if t.View == own.View && printable.Name(p.Rules[t.Rule]) == own.Rule {
			continue
		}
		b := bodyOf(p, t.View, t.Rule, t.Rows, maxSwitched)
		b.Hidden = true
		out = append(out, b)
	}
	return out
}

// choices returns the values between which a reader switches, in the order of the tables.
func choices(all []tableBody, of func(*tableBody) string) (out []string) {
	seen := map[string]bool{}
	for i := range all {
		if v := of(&all[i]); !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	}
	return out
}

func (b *tableBody) view() string { return b.View }
func (b *tableBody) rule() string { return b.Rule }
