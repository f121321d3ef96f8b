package profile

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ebb-energy/ebb/internal/render/printable"
)

// Bounds of what a report carries, whatever the program was.
const (
	// MaxBytes is about what a profile may take as JSON.
	MaxBytes = 20 << 20
	// maxName is the number of bytes of a name that are kept.
	maxName = 1024
	// maxProblems is the number of problems, and of files without names, that are listed.
	maxProblems = 200
)

// levels are the numbers of frames that are kept of a stack: all for those with the most energy,
// fewer of the innermost for the next ones, none for the last.
var levels = [...]int{math.MaxInt, 32, 8, 1, 0}

// Bound shortens the stacks with the least energy so that the profile takes no more than so many
// bytes as JSON, indented as reports are. Half of them are for whole stacks, three quarters for
// those with 32 frames and more, and so on. Stacks that become equal are merged, and their amounts
// added.
func (p *Profile) Bound(bytes int) {
	p.boundNames()
	b := &bounded{p: p, index: make([]int, len(p.Frames)), left: bytes - p.fixedBytes()}
	for i := range b.index {
		b.index[i] = -1
	}
	if p.Network != nil {
		b.limit(b.left / 4)
		b.transfers(p.Network)
		b.left -= b.spent
	}
	b.limit(b.left)
	b.stacks()
	p.Frames = b.frames
}

func (p *Profile) boundNames() {
	for i := range p.Frames {
		f := &p.Frames[i]
		f.Name, f.Module, f.Near = ShortName(f.Name), ShortName(f.Module), ShortName(f.Near)
	}
	for i := range p.Threads {
		t := &p.Threads[i]
		t.Comm, t.Name = ShortName(t.Comm), ShortName(t.Name)
	}
	for i := range p.VirtualThreads {
		t := &p.VirtualThreads[i]
		t.Name = ShortName(t.Name)
	}
	for i := range p.Problems {
		p.Problems[i] = ShortName(p.Problems[i])
	}
	if n := len(p.Problems); n > maxProblems {
		p.Problems = append(p.Problems[:maxProblems:maxProblems],
			fmt.Sprintf("%d more", n-maxProblems))
	}
	p.Nameless = p.Nameless[:min(len(p.Nameless), maxProblems)]
}

// ShortName cuts a name to what a report keeps of it.
func ShortName(s string) string { return printable.CutBytes(s, maxName) }

// The most bytes that values take in a report, with their keys and indentation.
const (
	threadBytes  = 260
	pointBytes   = 160
	stackBytes   = 360
	numberBytes  = 34 // for one number in a list
	atFreqBytes  = 260
	frameBytes   = 230
	frameIDBytes = 18
)

// fixedBytes is about what all but stacks and frames take.
func (p *Profile) fixedBytes() int {
	return threadBytes*(len(p.Threads)+len(p.VirtualThreads)) + pointBytes*len(p.Timeline) +
		2*maxName*(len(p.Problems)+len(p.Nameless)) + p.sectionBytes()
}

// sectionBytes is about what the sections take.
func (p *Profile) sectionBytes() (bytes int) {
	for i := range p.Sections {
		s := &p.Sections[i]
		bytes += 120 + len(s.Zones)*(200+6*numberBytes*len(p.Rules))
		for _, r := range s.Regions {
			bytes += 90 + quoted(r.Name)
		}
	}
	return bytes
}

// bounded is a profile that is being bounded.
type bounded struct {
	p      *Profile
	index  []int // index of each frame among the kept ones; -1: not kept yet
	frames []Frame
	left   int
	limits [len(levels)]int
	level  int
	spent  int
}

func (b *bounded) limit(bytes int) {
	bytes = max(bytes, 0)
	b.limits = [...]int{bytes / 2, bytes / 4 * 3, bytes / 8 * 7, bytes, math.MaxInt}
	b.level, b.spent = 0, 0
}

// take keeps as many frames of a stack as there is room for, and renumbers them. bytes is what the
// stack takes besides its frames.
func (b *bounded) take(frames []int, bytes int) (kept []int, short int) {
	for {
		n := min(len(frames), levels[b.level])
		cost := bytes
		for _, f := range frames[:n] {
			cost += frameIDBytes
			if b.index[f] < 0 {
				x := &b.p.Frames[f]
				cost += frameBytes + quoted(x.Name) + quoted(x.Module) + len(x.BuildID) +
					quoted(x.Near)
			}
		}
		if b.level+1 < len(levels) && b.spent+cost > b.limits[b.level] {
			b.level++
			continue
		}
		b.spent += cost
		if n == len(frames) {
			return b.number(frames), -1
		}
		if n == 0 {
			return []int{b.notKept()}, 0
		}
		return b.number(frames[:n]), levels[b.level]
	}
}

// quoted returns the most bytes of a name in JSON: a character that is escaped takes six.
func quoted(s string) int {
	n := len(s)
	for _, r := range s {
		if r < ' ' || r == '"' || r == '\\' || r == '<' || r == '>' || r == '&' ||
			r == utf8.RuneError || r == '\u2028' || r == '\u2029' {
			n += 5
		}
	}
	return n
}

func (b *bounded) number(frames []int) []int {
	out := make([]int, len(frames))
	for i, f := range frames {
		if b.index[f] < 0 {
			b.index[f] = len(b.frames)
			b.frames = append(b.frames, b.p.Frames[f])
		}
		out[i] = b.index[f]
	}
	return out
}

func (b *bounded) notKept() int {
	i := slices.IndexFunc(b.frames, func(f Frame) bool { return f.Name == NotKept })
	if i < 0 {
		i = len(b.frames)
		b.frames = append(b.frames, Frame{Name: NotKept, Module: NotKept, Kind: "unresolved"})
	}
	return i
}

func (b *bounded) stacks() {
	all := b.p.Stacks
	order := byWeight(len(all), func(i int) float64 {
		if len(all[i].EnergyNJ) == 0 {
			return 0
		}
		return float64(all[i].EnergyNJ[0])
	})
	same := map[string]int{}
	kept, place := make([]Stack, 0, len(all)), make([]int, 0, len(all))
	for _, i := range order {
		s := all[i]
		frames, short := b.take(s.Frames, stackBytes+numberBytes*(len(s.EnergyNJ)+len(s.ByZone))+
			(atFreqBytes+numberBytes*len(s.EnergyNJ))*len(s.ByFrequency))
		if s.Frames = frames; short < 0 {
			kept, place = append(kept, s), append(place, i)
			continue
		}
		s.Cut, s.ByFrequency, s.Kept = true, nil, short
		k := fmt.Sprint(key(s.Thread, frames), "@", s.Section, s.Virtual)
		j, ok := same[k]
		if !ok {
			same[k] = len(kept)
			s.EnergyNJ, s.ByZone = slices.Clone(s.EnergyNJ), slices.Clone(s.ByZone)
			kept, place = append(kept, s), append(place, i)
			continue
		}
		kept[j].plus(&s)
	}
	b.p.Stacks = inOrder(kept, place)
}

// plus adds the amounts of another stack.
func (s *Stack) plus(o *Stack) {
	s.Samples += o.Samples
	s.CPUNS += o.CPUNS
	s.Squares += o.Squares
	for i, e := range o.EnergyNJ {
		s.EnergyNJ[i] += e
	}
	for i, e := range o.ByZone {
		s.ByZone[i] += e
	}
}

func (b *bounded) transfers(n *Network) {
	all := n.Transfers
	same := map[string]int{}
	kept, place := make([]Transfer, 0, len(all)), make([]int, 0, len(all))
	for _, i := range byWeight(len(all), func(i int) float64 { return float64(all[i].All()) }) {
		t := all[i]
		frames, short := b.take(t.Frames, stackBytes)
		if t.Frames = frames; len(frames) == 0 {
			t.Frames = nil
		}
		if short >= 0 {
			t.Cut = true
			k := key(t.Thread, frames)
			if j, ok := same[k]; ok {
				kept[j].Add(&t.Traffic)
				continue
			}
			same[k] = len(kept)
		}
		kept, place = append(kept, t), append(place, i)
	}
	n.Transfers = inOrder(kept, place)
}

// byWeight returns the numbers of n things, the heaviest first.
func byWeight(n int, weight func(int) float64) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(weight(b), weight(a)) })
	return order
}

// inOrder restores the order of things by their places.
func inOrder[T any](things []T, place []int) []T {
	out := make([]T, len(things))
	for i, j := range byWeight(len(place), func(i int) float64 { return -float64(place[i]) }) {
		out[i] = things[j]
	}
	return out
}

func key(thread int, frames []int) string {
	var b strings.Builder
	fmt.Fprint(&b, thread)
	for _, f := range frames {
		fmt.Fprintf(&b, " %d", f)
	}
	return b.String()
}

// Shortened returns a sentence on what of a long run was joined or cut; "" for nothing.
func (p *Profile) Shortened() string {
	var threads, processes, some, none int
	for i := range p.Threads {
		threads += p.Threads[i].Ended
		processes += p.Threads[i].Processes
	}
	for i := range p.Stacks {
		s := &p.Stacks[i]
		if s.Kept > 0 {
			some += s.Samples
		} else if len(s.Frames) == 1 && p.Frames[s.Frames[0]].Name == NotKept {
			none += s.Samples
		}
	}
	var parts []string
	if some > 0 {
		parts = append(
			parts, fmt.Sprintf(
				"of the stacks of %s the innermost 32, 8 or 1 frames are kept",
				printable.Count(some, "sample"),
			),
		)
	}
	if none > 0 {
		parts = append(parts, "of those of "+printable.Count(none, "sample")+" none ("+NotKept+")")
	}
	if threads > 0 {
		parts = append(parts, fmt.Sprintf("%d ended threads (%d processes) share lines by name",
			threads, processes))
	}
	return strings.Join(parts, "; ")
}
