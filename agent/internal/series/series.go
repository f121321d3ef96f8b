// Package series gives the series of ebb energy --machine the names of Kubernetes. It is pure: text
// in, text out.
//
// A series of a pod gets the labels namespace, pod and container; every other line stays as it is.
// So the sums of ebb's series stay the sums, to the nJ.
//
// # Pods that ended
//
// ebb adds what a pod had to the series "ended" of all pods, 10 minutes after its end. There a
// namespace would lose it. So a Relabeller remembers, for each namespace, what went there, and
// divides the series "ended" by namespace: a namespace's sum never drops while ebb and the agent
// run. Energy that went there while nobody looked stays without a
// namespace.
package series

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ebb-energy/ebb/agent/internal/names"
)

const (
	pods  = "pod"   // the kind of ebb's groups that are pods
	ended = "ended" // the name of all pods together that ended
	// mostNamespaces bounds the namespaces whose ended pods are kept apart.
	mostNamespaces = 1000
)

// Relabeller names what it is given, one text after the other. It is for one goroutine.
type Relabeller struct {
	source  names.Source
	groups  map[string]names.Container // named, of the last text
	before  map[place]int64            // what each group had in the last text
	kept    map[place]int64            // what a namespace's ended pods had
	spaces  map[string]bool            // the namespaces in kept
	unnamed int
}

// place is a series of a group. Of kept ones, name is a namespace.
type place struct{ family, rest, name string }

// New is for texts of one ebb.
func New(source names.Source) *Relabeller {
	return &Relabeller{source: source, kept: map[place]int64{}, spaces: map[string]bool{}}
}

// Unnamed is the number of groups of pods in the last text that nobody could name.
func (r *Relabeller) Unnamed() int { return r.unnamed }

// Apply is a text of ebb's with names. A text that is not as ebb writes it is an error, and changes
// nothing.
func (r *Relabeller) Apply(text string) ([]byte, error) {
	var all []line
	now := map[place]int64{}
	found := map[string]bool{}
	for one := range strings.Lines(text) {
		whole := strings.TrimSuffix(one, "\n")
		l, err := lineOf(whole)
		if err != nil {
			return nil, err
		}
		all = append(all, l)
		if l.group != "" {
			now[l.place] = l.has
			if l.group != ended {
				found[l.group] = true
			}
		}
	}
	was := r.groups
	r.name(found)
	r.keep(now, was)
	r.before = now
	out := make([]byte, 0, len(text)+len(text)/4)
	for _, l := range all {
		out = r.write(out, l)
	}
	return out, nil
}

// line is a line of a text.
type line struct {
	text string
	sample
	group string // of a pod's series, else ""
	place
	has int64
}

func lineOf(text string) (l line, err error) {
	l.text = text
	if text == "" || text[0] == '#' {
		return l, nil
	}
	if l.sample, err = parse(text); err != nil {
		return l, err
	}
	of := l.labels
	if len(of) < 2 || of[0] != (label{"kind", pods}) || of[1].name != "name" {
		return l, nil
	}
	n, ok := billionths(l.value)
	if !ok {
		return l, fmt.Errorf("no sum with nine places: %.80q", text)
	}
	l.group, l.has = of[1].value, n
	l.place = place{l.sample.family, labelled(of[2:]), l.group}
	return l, nil
}

// name finds the names of groups. One that had a name keeps it as long as it is there. A pod's
// cgroup that is no known container's, as that of its first process, is the pod's.
func (r *Relabeller) name(found map[string]bool) {
	was := r.groups
	r.groups = map[string]names.Container{}
	owner := map[string]names.Container{}
	for group := range found {
		uid, id, _ := strings.Cut(group, "/")
		c, ok := was[group]
		if !ok || c.Container == "" {
			if known, now := r.source.Of(id); now && id != "" {
				c, ok = known, true
			}
		}
		if ok {
			r.groups[group] = c
			owner[uid] = names.Container{Namespace: c.Namespace, Pod: c.Pod}
		}
	}
	r.unnamed = 0
	for group := range found {
		if _, ok := r.groups[group]; ok {
			continue
		}
		uid, _, _ := strings.Cut(group, "/")
		if c, ok := owner[uid]; ok {
			r.groups[group] = c
		} else {
			r.unnamed++
		}
	}
}

// keep adds to each namespace what its pods had that are now among the ended.
func (r *Relabeller) keep(now map[place]int64, was map[string]names.Container) {
	gone, sum := map[place]int64{}, map[place]int64{}
	for p, had := range r.before {
		if _, there := now[p]; there || p.name == ended {
			continue
		}
		all := place{p.family, p.rest, ended}
		sum[all] += had
		if space := was[p.name].Namespace; space != "" && had > 0 {
			gone[place{p.family, p.rest, space}] += had
		}
	}
	for p := range r.kept {
		all := place{p.family, p.rest, ended}
		if now[all] < r.before[all] { // another ebb, which begins at nothing
			delete(r.kept, p)
		}
	}
	if len(r.kept) == 0 {
		clear(r.spaces)
	}
	for p, had := range gone {
		all := place{p.family, p.rest, ended}
		if now[all]-r.before[all] < sum[all] || now[all] < sum[all] {
			continue // they did not go there
		}
		if !r.spaces[p.name] && len(r.spaces) == mostNamespaces {
			continue
		}
		r.spaces[p.name] = true
		r.kept[p] += had
	}
}

// write appends a line; the series of what ended is divided by namespace.
func (r *Relabeller) write(out []byte, l line) []byte {
	switch {
	case l.group == "":
		return append(append(out, l.text...), '\n')
	case l.group != ended:
		if c, ok := r.groups[l.group]; ok {
			l.labels = append(l.labels, label{"namespace", c.Namespace}, label{"pod", c.Pod})
			if c.Container != "" {
				l.labels = append(l.labels, label{"container", c.Container})
			}
		}
		return l.appendTo(out)
	}
	for _, space := range slices.Sorted(maps.Keys(r.spaces)) {
		kept := r.kept[place{l.place.family, l.rest, space}]
		if kept == 0 {
			continue
		}
		l.has -= kept
		one := sample{l.sample.family, append(slices.Clone(l.labels), label{"namespace", space}),
			valueOf(kept)}
		out = one.appendTo(out)
	}
	l.value = valueOf(l.has)
	return l.appendTo(out)
}
