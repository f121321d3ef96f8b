package profile

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Unnamed is a file with functions that have no name, for somebody who has its symbols.
type Unnamed struct {
	BuildID string
	Module  string
	Path    string   // "" where the report has none
	Addrs   []uint64 // addresses of the functions, in the file's own numbering, ascending
	Stacks  int      // number of stacks that have such a function
}

// Unnamed returns the files with functions that have no name and a build id, those of the most
// stacks first.
func (p *Profile) Unnamed() (out []Unnamed) {
	p.findAddresses()
	files, addrs := map[string]*Unnamed{}, map[string]map[uint64]bool{}
	for i := range p.Frames {
		f := &p.Frames[i]
		if f.BuildID == "" {
			continue
		}
		if files[f.BuildID] == nil {
			files[f.BuildID] = &Unnamed{BuildID: f.BuildID, Module: f.Module}
			addrs[f.BuildID] = map[uint64]bool{}
		}
		addrs[f.BuildID][f.Address] = true
	}
	for i := range p.Stacks {
		seen := map[string]bool{}
		for _, k := range p.Stacks[i].Frames {
			if id := p.Frames[k].BuildID; id != "" && !seen[id] {
				seen[id] = true
				files[id].Stacks++
			}
		}
	}
	for i := range p.Nameless {
		if f := files[p.Nameless[i].BuildID]; f != nil {
			f.Path = p.Nameless[i].Path
		}
	}
	for id, f := range files {
		f.Addrs = slices.Sorted(maps.Keys(addrs[id]))
		out = append(out, *f)
	}
	slices.SortFunc(out, func(a, b Unnamed) int {
		return cmp.Or(cmp.Compare(b.Stacks, a.Stacks), cmp.Compare(a.BuildID, b.BuildID))
	})
	return out
}

// findAddresses takes the addresses of functions without names from what they are called. It serves
// reports from an ebb that wrote no addresses.
func (p *Profile) findAddresses() {
	ids := map[string]string{}
	for i := range p.Nameless {
		n := &p.Nameless[i]
		if _, twice := ids[n.Module]; twice {
			n = &Nameless{Module: n.Module} // the file that it belongs to is not known
		}
		ids[n.Module] = n.BuildID
	}
	for i := range p.Frames {
		f := &p.Frames[i]
		digits, placed := strings.CutPrefix(f.Name, f.Module+"+0x")
		at, err := strconv.ParseUint(digits, 16, 64)
		if f.Kind == "placed" && f.BuildID == "" && placed && err == nil {
			f.BuildID, f.Address = ids[f.Module], at
		}
	}
}

// Symbolize names the functions of the file with a build id by their addresses, and returns how
// many got a name.
func (p *Profile) Symbolize(buildID string, names map[uint64]string) (n int) {
	got := map[uint64]bool{}
	for i := range p.Frames {
		f := &p.Frames[i]
		name := names[f.Address]
		if f.BuildID != buildID || buildID == "" || name == "" {
			continue
		}
		got[f.Address] = true
		*f = Frame{Name: shortName(name), Module: f.Module, Kind: "native"}
	}
	files := p.Nameless
	p.Nameless = nil
	p.FindNameless(files)
	return len(got)
}
