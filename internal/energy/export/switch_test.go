package export

import (
	"bytes"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/energy/profile"
)

// switching chooses another view, then another rule, and reads the table.
const switching = `<script>
function names() { return Array.from(document.querySelectorAll("#rows tbody:not([hidden]) tr:not(.once) td.unit")).map(d => d.textContent); }
function energies() { return Array.from(document.querySelectorAll("#rows tbody:not([hidden]) tr:not(.once) td:nth-child(5)")).map(d => d.dataset.v); }
const view = document.getElementById("view"), rule = document.getElementById("rule"), out = {};
out.offered = !document.getElementById("switch").hidden;
out.rules = Array.from(rule.options).map(o => o.value);
out.methods = names();
view.value = "thread"; view.onchange();
out.threads = names(); out.before = energies();
rule.value = out.rules[1]; rule.onchange();
out.after = energies();
const pre = document.createElement("pre"); pre.id = "seen"; pre.textContent = JSON.stringify(out); document.body.appendChild(pre);
</script>`

// TestSwitch: a reader can switch between views and rules; the rows are those of the report.
func TestSwitch(t *testing.T) {
	p := sample(t)
	p.Rules = append(p.Rules[:1:1], "another")
	for i := range p.Stacks {
		e := p.Stacks[i].EnergyNJ
		p.Stacks[i].EnergyNJ = []int64{e[0], 2 * e[0]}
	}
	for i := range p.Zones {
		z := &p.Zones[i]
		for _, part := range []*[]int64{&z.Attr, &z.IdleNJ, &z.RestNJ} {
			*part = append((*part)[:1:1], (*part)[0])
		}
	}
	run := &Run{Name: "java", View: "method"}
	for _, by := range []string{"method", "thread"} {
		v, err := profile.NewView(p, by, nil)
		if err != nil {
			t.Fatal(err)
		}
		for rule := range p.Rules {
			run.Tables = append(run.Tables, Table{View: by, Rule: rule, Rows: p.Rows(v, rule)})
		}
	}
	var b bytes.Buffer
	if err := HTML(&b, run, p, rows(t, p), 0); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "<tbody"); n != 4 {
		t.Errorf("%d tables, not one for each of two views by two rules", n)
	}
	var seen struct {
		Offered                         bool
		Rules, Methods, Threads, Before []string
		After                           []string
	}
	devtest.SeenInBrowser(t, b.String(), switching, &seen)
	if !seen.Offered || len(seen.Rules) != 2 || seen.Rules[1] != "another" {
		t.Fatalf("offered: %+v", seen)
	}
	same := func(shown []string, rows []profile.Row) {
		t.Helper()
		rows, _ = withoutOnce(p, "method", rows)
		if len(shown) != len(rows) {
			t.Fatalf("%q are shown of %d", shown, len(rows))
		}
		for i := range rows {
			if shown[i] != rows[i].Unit {
				t.Errorf("row %d is %q, not %q", i, shown[i], rows[i].Unit)
			}
		}
	}
	same(seen.Methods, run.Tables[0].Rows)
	same(seen.Threads, run.Tables[2].Rows)
	for i := range seen.Before {
		if seen.Before[i] == seen.After[i] && seen.Before[i] != "0" {
			t.Errorf("row %d is %s nJ by either rule", i, seen.Before[i])
		}
	}
}
