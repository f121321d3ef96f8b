package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ebb-energy/ebb/internal/energy/profile"
)

// largest is a profile that is as large as profiles become: random stacks, each another one, of
// functions with long names.
func largest(stacks, depth, name int) *profile.Profile {
	const seed = 7
	r := rand.New(rand.NewPCG(seed, 0))
	p := &profile.Profile{Rules: []string{"ledger", "cpu-time"},
		Zones: []profile.Zone{{Name: "cpu", Source: "measured",
			Attr: make([]int64, 2), OthersNJ: make([]int64, 2), IdleNJ: make([]int64, 2),
			RestNJ: make([]int64, 2)}}}
	for i := range 100 {
		p.Threads = append(p.Threads,
			profile.Thread{TID: int32(i), PID: 1, Comm: fmt.Sprint("t", i),
				Phase: profile.Application})
	}
	for i := range 10 * stacks {
		p.Frames = append(p.Frames, profile.Frame{Name: fmt.Sprintf("%0*d", name, i),
			Module: "<a>.so", Kind: "native"})
	}
	for i := range stacks {
		e := int64(r.IntN(1_000_000))
		s := profile.Stack{Thread: i % 100, Samples: 1, CPUNS: 10_000_000, EnergyNJ: []int64{e, e},
			ByZone: []int64{e}, Squares: float64(e * e)}
		s.ByFrequency = []profile.AtFrequency{{FreqHz: 1e9, Samples: 1, EnergyNJ: []int64{e, e},
			Squares: float64(e * e)}}
		for range depth {
			s.Frames = append(s.Frames, r.IntN(len(p.Frames)))
		}
		p.Stacks = append(p.Stacks, s)
		for j := range 2 {
			p.Zones[0].Attr[j] += e
		}
		p.Zones[0].TotalNJ += e
	}
	return p
}

// TestBounds: the files of a profile that is too large stay within their bounds, add up, and say
// what is missing.
func TestBounds(t *testing.T) {
	for _, tc := range []struct{ stacks, depth, name int }{{2000, 640, 100}, {40_000, 40, 20},
		{2000, 30, 5000}} {
		p := largest(tc.stacks, tc.depth, tc.name)
		var energy int64
		for i := range p.Stacks {
			energy += p.Stacks[i].EnergyNJ[1]
		}
		best := 0
		for i := range p.Stacks {
			if p.Stacks[i].EnergyNJ[0] > p.Stacks[best].EnergyNJ[0] {
				best = i
			}
		}
		whole := len(p.Stacks[best].Frames)
		const bound = profile.MaxBytes / 4
		p.Bound(bound)
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
		b, err := json.MarshalIndent(p, "  ", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if len(b) > bound {
			t.Errorf("%+v: a report of %d bytes, more than %d", tc, len(b), bound)
		}
		samples, longest := 0, 0
		for i := range p.Stacks {
			s := &p.Stacks[i]
			energy -= s.EnergyNJ[1]
			samples += s.Samples
			longest = max(longest, len(s.Frames))
		}
		if energy != 0 || samples != tc.stacks || longest != whole {
			t.Errorf("%+v: %d nJ lost, %d samples, the longest stack has %d frames", tc, energy,
				samples, longest)
		}
		if p.Shortened() == "" {
			t.Errorf("%+v: nothing is said", tc)
		}
		var out bytes.Buffer
		if err := HTML(&out, &Run{}, p, rows(t, p), 0); err != nil || out.Len() > 10<<20 {
			t.Errorf("%+v: a page of %d bytes, %v", tc, out.Len(), err)
		}
		out.Reset()
		if err := Folded(&out, p, 0); err != nil || out.Len() > maxFolded+1<<20 {
			t.Errorf("%+v: %d bytes of folded stacks, %v", tc, out.Len(), err)
		}
		out.Reset()
		if err := Speedscope(&out, p, 0); err != nil || out.Len() > bound {
			t.Errorf("%+v: %d bytes of speedscope, %v", tc, out.Len(), err)
		}
	}
}

// TestOther: frames too narrow to draw are one box, and no energy is missing from the page.
func TestOther(t *testing.T) {
	p := largest(30_000, 3, 8)
	root := grow(p, 0)
	boxes := 0
	var walk func(n *node)
	walk = func(n *node) {
		boxes++
		sum := int64(0)
		for _, c := range n.Children {
			sum += c.nj
			walk(c)
		}
		if sum > n.nj {
			t.Fatalf("%s has %d nJ, its children %d", n.Name, n.nj, sum)
		}
	}
	walk(root)
	for _, th := range root.Children {
		if len(th.Children) > 0 && th.Children[0].Name != other {
			t.Errorf("%s: %+v", th.Name, th.Children[0])
		}
	}
	if boxes > 2*maxBoxes || boxes < 100 || root.nj != p.Zones[0].TotalNJ {
		t.Errorf("%d boxes, %d nJ of %d", boxes, root.nj, p.Zones[0].TotalNJ)
	}
}
