package symbols

import (
	"cmp"
	"slices"
	"sort"
	"strings"
)

// Instrumented returns functions that compilers made call the hook, and methods that an agent
// instrumented, of all files and dumps that these images have mapped. It returns up to limit of
// them, from number from on, and the number to go on from, which is 0 at the end. They have the
// names that User gives them.
func (r *Resolver) Instrumented(images []Image, from, limit int) (list []Frame, next int) {
	number := 0
	for _, f := range r.mapped(images) {
		f.search()
		for _, problem := range f.problems {
			r.problem("%s", problem)
		}
		first := min(max(from-number, 0), len(f.instrumented))
		number += first
		for _, n := range f.instrumented[first:] {
			if len(list) == limit {
				return list, number
			}
			number++
			if s, ok := f.table.at(f.table.spans[n].start); ok && !cloned(s.name) {
				list = append(list, native(s, module(f.path)))
			}
		}
	}
	for _, d := range r.dumpsOf(images) {
		own := d.methods()
		first := min(max(from-number, 0), len(own))
		number += first
		for _, k := range own[first:] {
			if len(list) == limit {
				return list, number
			}
			number++
			list = append(list, FrameOf(d.codes.words.name(d.codes.list[k].name), false))
		}
	}
	return list, 0
}

// methods returns the numbers of the codes that stand for Java methods, which an agent has
// instrumented. They are searched once, since a hostile list is as long as its bound.
func (d *dump) methods() []uint32 {
	if !d.searched {
		d.searched = true
		for k := range d.codes.list {
			if managed(d.codes.list[k].start) {
				d.managed = append(d.managed, uint32(k))
			}
		}
	}
	return d.managed
}

// dumpsOf returns the dumps that were read of the images' processes, each once.
func (r *Resolver) dumpsOf(images []Image) (out []*dump) {
	seen := map[*dump]bool{}
	for _, i := range images {
		p := r.processes[i]
		if p == nil {
			continue
		}
		for _, d := range p.dumps {
			if d.codes != nil && !seen[d] {
				seen[d] = true
				out = append(out, d)
			}
		}
	}
	return out
}

// mapped returns the files that the images have mapped, each once, in order of their paths.
func (r *Resolver) mapped(images []Image) (out []*file) {
	seen := map[*file]bool{}
	for _, i := range images {
		p := r.processes[i]
		if p == nil {
			continue
		}
		for k := range p.maps {
			if f := p.maps[k].file; f != nil && !seen[f] {
				seen[f] = true
				out = append(out, f)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b *file) int { return cmp.Compare(a.path, b.path) })
	return out
}

// search finds the functions that call the hook. It does so once.
func (f *file) search() {
	if f.searched {
		return
	}
	f.searched = true
	// debug/elf guards against what it reads, but has had panics on files that lie.
	defer func() {
		if p := recover(); p != nil {
			f.problem("search %s for calls of %s: %v", f.path, hook, p)
		}
	}()
	if f.budget == nil {
		f.budget = newBudget()
	}
	calls, err := f.hookCalls()
	if err == nil && len(calls) > 0 {
		f.load()
		if err = f.budget.keep(4 * len(calls)); err == nil {
			f.instrumented = f.table.holding(calls)
		}
	}
	if err != nil {
		f.problem("search %s for calls of %s: %v: which of its functions are never called is "+
			"not known", f.path, hook, err)
	}
}

// holding returns the numbers of the symbols that hold these addresses, which are ascending.
func (t *table) holding(addrs []uint64) (out []uint32) {
	for _, a := range addrs {
		i := sort.Search(len(t.spans), func(i int) bool { return t.spans[i].start > a }) - 1
		if i < 0 || a >= t.spans[i].end || len(out) > 0 && out[len(out)-1] == uint32(i) {
			continue
		}
		out = append(out, uint32(i))
	}
	return out
}

// cloned reports whether a symbol is a part or a copy that GCC made of a function. Its calls of the
// hook count for the whole function, which has its own symbol.
func cloned(symbol string) bool {
	for _, mark := range []string{".constprop.", ".isra.", ".part.", ".cold"} {
		if strings.Contains(symbol, mark) {
			return true
		}
	}
	return false
}
