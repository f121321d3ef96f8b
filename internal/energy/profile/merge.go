package profile

import (
	"encoding/binary"
	"slices"
)

// merged returns the stacks of some sections. Stacks of one thread with the same frames become one.
func merged(all []Stack, in map[int]bool) (out []Stack) {
	at := map[string]int{}
	var key []byte
	for i := range all {
		s := &all[i]
		if !in[s.Section] {
			continue
		}
		key = binary.AppendVarint(key[:0], int64(s.Thread))
		key = binary.AppendVarint(key, int64(s.Virtual))
		key = append(key, flags(s))
		for _, f := range s.Frames {
			key = binary.AppendVarint(key, int64(f))
		}
		j, ok := at[string(key)]
		if !ok {
			at[string(key)] = len(out)
			first := *s
			first.Section = 0
			first.EnergyNJ, first.ByZone = slices.Clone(s.EnergyNJ), slices.Clone(s.ByZone)
			first.ByFrequency = cloned(s.ByFrequency)
			out = append(out, first)
			continue
		}
		out[j].add(s)
	}
	return out
}

// flags returns a byte that distinguishes stacks with the same frames.
func flags(s *Stack) byte {
	b := byte(min(s.Kept, 32)) << 1
	if s.Cut {
		b |= 1
	}
	return b
}

func cloned(list []AtFrequency) []AtFrequency {
	out := slices.Clone(list)
	for i := range out {
		out[i].EnergyNJ = slices.Clone(out[i].EnergyNJ)
	}
	return out
}

// add adds another section's stack.
func (s *Stack) add(o *Stack) {
	s.plus(o)
	for _, f := range o.ByFrequency {
		i, found := slices.BinarySearchFunc(s.ByFrequency, f.FreqHz,
			func(x AtFrequency, hz int64) int { return int(min(max(x.FreqHz-hz, -1), 1)) })
		if !found {
			f.EnergyNJ = slices.Clone(f.EnergyNJ)
			s.ByFrequency = slices.Insert(s.ByFrequency, i, f)
			continue
		}
		x := &s.ByFrequency[i]
		x.Samples += f.Samples
		x.CPUNS += f.CPUNS
		x.Squares += f.Squares
		for j, e := range f.EnergyNJ {
			x.EnergyNJ[j] += e
		}
	}
}

// spread divides what a thread used without a sample over the stacks that it was sampled in, by
// their samples, as the ledger does at a thread's end: a section can be shorter than the time
// between two samples.
func spread(stacks []Stack) {
	sampled, without := map[int][]int{}, map[int]int{}
	for i := range stacks {
		if s := &stacks[i]; s.Samples > 0 {
			sampled[s.Thread] = append(sampled[s.Thread], i)
		} else if len(s.Frames) == 0 {
			without[s.Thread] = i
		}
	}
	for thread, from := range without {
		if to := sampled[thread]; len(to) > 0 {
			give(stacks, &stacks[from], to)
		}
	}
}

// give moves all that a stack has to others.
func give(stacks []Stack, from *Stack, to []int) {
	left := 0
	for _, i := range to {
		left += stacks[i].Samples
	}
	for _, i := range to {
		s := &stacks[i]
		before, added := 0.0, 0.0
		for _, e := range s.ByZone {
			before += float64(e)
		}
		part := func(amount *int64) int64 {
			p := int64(float64(*amount) * (float64(s.Samples) / float64(left)))
			if s.Samples == left {
				p = *amount
			}
			*amount -= p
			return p
		}
		for j := range s.EnergyNJ {
			s.EnergyNJ[j] += part(&from.EnergyNJ[j])
		}
		for j := range s.ByZone {
			p := part(&from.ByZone[j])
			s.ByZone[j] += p
			added += float64(p)
		}
		s.CPUNS += part(&from.CPUNS)
		// the same as in Ledger.Exited
		d := added / float64(s.Samples)
		s.Squares += 2*before*d + added*d
		left -= s.Samples
	}
}
