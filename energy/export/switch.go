package export

import (
	"github.com/ebb-energy/ebb/energy/profile"
	"github.com/ebb-energy/ebb/internal/printable"
)

// Table is a view of the profile, divided by a rule: one of those between which a reader switches.
type Table struct {
	View string
	Rule int // of the profile's
	Rows []profile.Row
}

// tableBody is a Table as the page has it. All but the first are hidden.
type tableBody struct {
	View, Rule string
	Rows       []rowLine
	Own        *rowLine // of ebb itself, the last
	More       int      // rows that are left out
	Hidden     bool
}

// maxSwitched bounds the rows of a table that is not the page's own.
const maxSwitched = 20

// bodies are the page's own rows, and those of the other tables.
func bodies(p *profile.Profile, own tableBody, tables []Table) []tableBody {
	out := []tableBody{own}
	for _, t := range tables {
		b := tableBody{View: t.View, Rule: printable.Name(p.Rules[t.Rule]), Hidden: true}
		if b.View == own.View && b.Rule == own.Rule {
			continue
		}
		n := min(len(t.Rows), maxSwitched)
		b.Rows, b.More = rowLines(p, t.Rows[:n]), len(t.Rows)-n
		b.Own = ownLine(p, t.Rule)
		out = append(out, b)
	}
	return out
}

// choices are the values between which a reader switches, in the order of the tables.
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
