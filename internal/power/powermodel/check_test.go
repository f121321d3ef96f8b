package powermodel

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// csvOf returns a table as a file.
func csvOf(t *Table) string {
	var b strings.Builder
	fmt.Fprintln(&b, "name,watts,"+strings.Join(t.Inputs, ","))
	for r := range t.Power {
		fmt.Fprintf(&b, "%s,%v", t.Programs[t.Program[r]], t.Power[r])
		for _, c := range t.Columns {
			fmt.Fprintf(&b, ",%v", c[r])
		}
		fmt.Fprintln(&b)
	}
	return b.String()
}

// TestCheck checks that a model finds its inputs in a table by their names, in whichever order they
// stand.
func TestCheck(t *testing.T) {
	m, table := trainedModel(t, Default, 6)
	table.Programs[3] = "another"
	text := csvOf(table.only([]int{2, 0, 1}))
	got, err := m.ReadFor(strings.NewReader(text), "watts", "name")
	if err != nil {
		t.Fatal(err)
	}
	held := 0.0
	for _, c := range m.Check(got) {
		if c.Seen != (c.Program != "another") || c.Rows != 60 || math.Abs(c.Total) > 0.05 ||
			c.Interval < math.Abs(c.Total) || c.Outside > 0.1 {
			t.Errorf("%+v", c)
		}
		held += c.Held / 6
	}
	if held < 0.9 {
		t.Errorf("%.2f of the intervals of programs that it has seen hold", held)
	}
	_, err = m.ReadFor(strings.NewReader(csvOf(table.only([]int{0, 1}))), "watts", "name")
	if err == nil || !strings.Contains(err.Error(), `no column "contexts"`) {
		t.Errorf("without an input: %v", err)
	}
}

// TestExplainTable checks that explanations of a table rank what decides above what does not, and
// that one more useful input lowers the error.
func TestExplainTable(t *testing.T) {
	m, table := trainedModel(t, Default, 6)
	x := m.ExplainTable(table)
	if first := x.Parts[x.Ranking()[0]]; first != busyTime && first != "cpu_user" {
		t.Errorf("the first part is %s", first)
	}
	if got := fmt.Sprint(x.Order()); got != "[0 1 2]" && got != "[0 2 1]" {
		t.Errorf("inputs in the order %s", got)
	}
	if got, want := x.Value(3, 7), table.Columns[0][7]+table.Columns[1][7]; got != want {
		t.Errorf("busy time %v, want %v", got, want)
	}
	calls := 0
	a, err := Ablate(table, Ridge, []int{2, 0, 1}, func(done, all int) {
		if calls++; done != calls || all != 18 {
			t.Errorf("model %d of %d after %d", done, all, calls)
		}
	})
	if err != nil || len(a) != 3 || a[1].Inputs != 2 || a[0].LeftOut < 2*a[1].LeftOut {
		t.Errorf("%+v: %v", a, err)
	}
}

// TestTree checks that the nodes of a tree, in terms of the inputs, lead each interval to its leaf.
func TestTree(t *testing.T) {
	for _, l := range []Learner{Default, XGBoost} {
		m, table := trainedModel(t, l, 6)
		values := make([]float64, 3)
		for tree := range m.Trees() {
			nodes := m.Tree(tree)
			for r := 0; r < table.Rows(); r += 7 {
				table.row(r, values)
				of := map[string]float64{"cpu_user": values[0], "cpu_system": values[1],
					"contexts": values[2], busyTime: values[0] + values[1]}
				n, close := 0, false
				for nodes[n].Left > 0 {
					x, ok := of[nodes[n].Part]
					if !ok {
						t.Fatalf("%s: part %q", l.Name, nodes[n].Part)
					}
					// the split is rounded to 32 bits of the range
					close = close || math.Abs(x-nodes[n].Split) < 1e-4*math.Abs(x)
					next := nodes[n].Left
					if x >= nodes[n].Split {
						next++
					}
					n = next
				}
				if want := m.Leaf(tree, values); n != want && !close {
					t.Fatalf("%s, tree %d, row %d: leaf %d, want %d", l.Name, tree, r, n, want)
				}
			}
		}
	}
}
