package series

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/agent/internal/names"
)

// known is a source by short ids.
type known map[string]names.Container

func (k known) Of(id string) (names.Container, bool) {
	c, ok := k[id]
	return c, ok
}

// apply gives a text names, and fails if a sum over all changed.
func apply(t *testing.T, r *Relabeller, text string) string {
	t.Helper()
	out, err := r.Apply(text)
	if err != nil {
		t.Fatal(err)
	}
	before, after := sums(t, text), sums(t, string(out))
	for key, want := range before {
		if after[key] != want {
			t.Fatalf("%s: %d of %d\n%s", key, after[key], want, out)
		}
	}
	return string(out)
}

// sums adds the series up by family and zone, in billionths.
func sums(t *testing.T, text string) map[string]int64 {
	t.Helper()
	all := map[string]int64{}
	for line := range strings.Lines(text) {
		if line == "\n" || line[0] == '#' {
			continue
		}
		s, err := parse(strings.TrimSuffix(line, "\n"))
		if err != nil {
			t.Fatal(err)
		}
		n, ok := billionths(s.value)
		if !ok {
			continue
		}
		all[s.family+" "+valueAt(s, "zone")] += n
		if n < 0 {
			t.Fatalf("below nothing: %s", line)
		}
	}
	return all
}

func valueAt(s sample, name string) string {
	for _, l := range s.labels {
		if l.name == name {
			return l.value
		}
	}
	return ""
}

// TestEbbsText: a text of ebb's own tests. Lines of pods have names, all others are as they were.
func TestEbbsText(t *testing.T) {
	raw, err := os.ReadFile("../../../internal/app/machine/testdata/metrics.txt")
	if err != nil {
		t.Fatal(err)
	}
	r := New(known{"9ec39b91f3d7": {Namespace: "shop", Pod: "web-1", Container: "a\"b"}})
	in := strings.Split(string(raw), "\n")
	out := strings.Split(apply(t, r, string(raw)), "\n")
	if len(in) != len(out) {
		t.Fatalf("%d lines of %d", len(out), len(in))
	}
	pods := 0
	for i, line := range in {
		want := line
		if strings.Contains(line, `{kind="pod"`) {
			pods++
			want = strings.Replace(line, "} ",
				`,namespace="shop",pod="web-1",container="a\"b"} `, 1)
		}
		if out[i] != want {
			t.Errorf("%s\nwant\n%s", out[i], want)
		}
	}
	if pods != 7 || r.Unnamed() != 0 {
		t.Errorf("%d lines of pods, %d unnamed", pods, r.Unnamed())
	}
}

// of is a text with pods' energies, in J.
func of(energies ...any) string {
	var b strings.Builder
	for i := 0; i < len(energies); i += 2 {
		fmt.Fprintf(&b, "ebb_group_energy_joules_total{kind=\"pod\",name=%q,zone=\"package-0\","+
			"source=\"measured\"} %d.000000000\n", energies[i], energies[i+1])
	}
	return b.String()
}

// has fails unless the text has a line of a pod with these labels and this energy.
func has(t *testing.T, text, name, labels string, joules int) {
	t.Helper()
	want := fmt.Sprintf("ebb_group_energy_joules_total{kind=\"pod\",name=%q,zone=\"package-0\","+
		"source=\"measured\"%s} %d.000000000\n", name, labels, joules)
	if !strings.Contains(text, want) {
		t.Errorf("no %s in\n%s", want, text)
	}
}

const first, second = "74c1-0a/aaaaaaaaaaaa", "74c1-0b/bbbbbbbbbbbb"

var shop, lab = names.Container{Namespace: "shop", Pod: "web", Container: "nginx"},
	names.Container{Namespace: "lab", Pod: "job", Container: "main"}

// TestNamesOfAPod: a container that nobody knows has its pod's name where a neighbour has one, a
// name that came stays when its source forgets it, and one that comes late is taken.
func TestNamesOfAPod(t *testing.T) {
	source := known{"aaaaaaaaaaaa": shop}
	r := New(source)
	const pause, bare = "74c1-0a/cccccccccccc", "74c1-0a"
	out := apply(t, r, of(first, 3, pause, 1, bare, 2, second, 4))
	web := `,namespace="shop",pod="web"`
	has(t, out, first, web+`,container="nginx"`, 3)
	has(t, out, pause, web, 1)
	has(t, out, bare, web, 2)
	has(t, out, second, "", 4)
	if r.Unnamed() != 1 {
		t.Errorf("%d unnamed", r.Unnamed())
	}
	delete(source, "aaaaaaaaaaaa")
	source["bbbbbbbbbbbb"] = lab
	source["cccccccccccc"] = names.Container{Namespace: "shop", Pod: "web", Container: "side"}
	out = apply(t, r, of(first, 3, pause, 1, second, 4))
	has(t, out, first, web+`,container="nginx"`, 3)
	has(t, out, pause, web+`,container="side"`, 1)
	has(t, out, second, `,namespace="lab",pod="job",container="main"`, 4)
}

// TestEnded: what an ended pod had stays its namespace's; another ebb begins at nothing.
func TestEnded(t *testing.T) {
	r := New(known{"aaaaaaaaaaaa": shop, "bbbbbbbbbbbb": lab})
	apply(t, r, of(ended, 5, first, 3, second, 4))
	out := apply(t, r, of(ended, 8, second, 4))
	has(t, out, ended, `,namespace="shop"`, 3)
	has(t, out, ended, "", 5)
	out = apply(t, r, of(ended, 12))
	has(t, out, ended, `,namespace="shop"`, 3)
	has(t, out, ended, `,namespace="lab"`, 4)
	has(t, out, ended, "", 5)
	// Another ebb.
	out = apply(t, r, of(ended, 2, first, 9))
	has(t, out, ended, "", 2)
	// It ends with it, and does not go to ended.
	out = apply(t, r, of(ended, 6))
	has(t, out, ended, "", 6)
	if strings.Contains(out, "namespace") {
		t.Errorf("a namespace has what is nobody's:\n%s", out)
	}
}

// TestNamespacesAreBounded: those behind the bound have no series of ended pods, and the sum stays.
func TestNamespacesAreBounded(t *testing.T) {
	source := known{}
	r := New(source)
	text := []any{ended, 0}
	for n := range mostNamespaces + 10 {
		id := fmt.Sprintf("%012x", n)
		source[id] = names.Container{Namespace: fmt.Sprint("ns-", n), Pod: "p", Container: "c"}
		text = append(text, "74/"+id, 1)
	}
	apply(t, r, of(text...))
	out := apply(t, r, of(ended, mostNamespaces+10))
	if n := strings.Count(out, `namespace="`); n != mostNamespaces {
		t.Errorf("%d namespaces", n)
	}
	has(t, out, ended, "", 10)
}

// TestSumsNeverDrop: pods of random namespaces come, use and end as ebb writes it; no namespace's
// sum drops, and each is what its pods had.
func TestSumsNeverDrop(t *testing.T) {
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		source := known{}
		r := New(source)
		had, truth, gone, next := map[string]int{}, map[string]int{}, 0, 0
		for range 60 {
			if rnd.IntN(2) == 0 {
				id := fmt.Sprintf("%012x", next)
				next++
				source[id] = names.Container{Namespace: fmt.Sprint("ns-", rnd.IntN(3)), Pod: "p",
					Container: "c"}
				had["74-"+fmt.Sprint(next)+"/"+id] = 0
			}
			text := []any{}
			for name := range had {
				if rnd.IntN(4) == 0 {
					gone += had[name]
					delete(had, name)
					continue
				}
				used := rnd.IntN(5)
				had[name] += used
				_, id, _ := strings.Cut(name, "/")
				truth[source[id].Namespace] += used
				text = append(text, name, had[name])
			}
			got := map[string]int64{}
			for line := range strings.Lines(apply(t, r, of(append(text, ended, gone)...))) {
				s, err := parse(strings.TrimSpace(line))
				if err != nil {
					t.Fatal(err)
				}
				n, _ := billionths(s.value)
				got[valueAt(s, "namespace")] += n / 1e9
			}
			for space, want := range truth {
				if got[space] != int64(want) {
					t.Fatalf("seed %d: %s has %d of %d", seed, space, got[space], want)
				}
			}
		}
	}
}

// TestNotEbbs: a text of another form is refused, and the next is as after the last good one.
func TestNotEbbs(t *testing.T) {
	r := New(known{"aaaaaaaaaaaa": shop})
	apply(t, r, of(first, 3))
	for _, text := range []string{
		"x", "x{", "x{a}", `x{a="b} 1`, `x{a="b",} 1`, `x{a="\q"} 1`, `x{a="b"} `, `x{a="b"} 1 2`,
		"x one", of(first, 3) + "half a li",
		`x{kind="pod",name="74/aaaaaaaaaaaa"} 1`, `x{kind="pod",name="a"} -1.000000000`,
		`x{kind="pod",name="a"} 99999999999999999999.000000000`,
	} {
		if out, err := r.Apply(text); err == nil {
			t.Errorf("%q became %q", text, out)
		}
	}
	has(t, apply(t, r, of(ended, 3)), ended, `,namespace="shop"`, 3)
}

// FuzzParse: what is read is written as it was, and read again.
func FuzzParse(f *testing.F) {
	f.Add(`ebb_x{kind="pod",name="a\\b\"c\n",zone="é"} 1.000000000`)
	f.Add("ebb_groups_refused_total 0")
	f.Add(`x{a="` + strings.Repeat("y", 4096) + `"} 1`)
	f.Fuzz(func(t *testing.T, line string) {
		s, err := parse(line)
		if err != nil {
			return
		}
		out := string(s.appendTo(nil))
		if strings.Count(out, "\n") != 1 {
			t.Fatalf("%q became %q", line, out)
		}
		again, err := parse(strings.TrimSuffix(out, "\n"))
		if err != nil || string(again.appendTo(nil)) != out {
			t.Fatalf("%q, %q, %v", line, out, err)
		}
	})
}
