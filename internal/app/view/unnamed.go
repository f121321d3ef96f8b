package view

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ebb-energy/ebb/internal/energy/profile"
)

// unnamed is a file with functions that have no name, for somebody who has its symbols.
type unnamed struct {
	BuildID string
	Module  string
	Path    string   // "" where the report has none
	Addrs   []uint64 // addresses of the functions, in the file's own numbering, ascending
	Stacks  int      // number of stacks that have such a function
}

// unnamedOf returns the files with functions that have no name and a build id, those of the most
// stacks first.
func unnamedOf(p *profile.Profile) (out []unnamed) {
	findAddresses(p)
	files, addrs := map[string]*unnamed{}, map[string]map[uint64]bool{}
	for i := range p.Frames {
		f := &p.Frames[i]
		if f.BuildID == "" {
			continue
		}
		if files[f.BuildID] == nil {
			files[f.BuildID] = &unnamed{BuildID: f.BuildID, Module: f.Module}
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
	slices.SortFunc(out, func(a, b unnamed) int {
		return cmp.Or(cmp.Compare(b.Stacks, a.Stacks), cmp.Compare(a.BuildID, b.BuildID))
	})
	return out
}

// findAddresses takes the addresses of functions without names from what they are called. It serves
// reports from an ebb that wrote no addresses.
func findAddresses(p *profile.Profile) {
	ids := map[string]string{}
	for i := range p.Nameless {
		n := &p.Nameless[i]
		if _, twice := ids[n.Module]; twice {
			n = &profile.Nameless{Module: n.Module} // the file that it belongs to is not known
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

// symbolize names the functions of the file with a build id by their addresses, and returns how
// many got a name.
func symbolize(p *profile.Profile, buildID string, names map[uint64]string) (n int) {
	got := map[uint64]bool{}
	for i := range p.Frames {
		f := &p.Frames[i]
		name := names[f.Address]
		if f.BuildID != buildID || buildID == "" || name == "" {
			continue
		}
		got[f.Address] = true
		*f = profile.Frame{Name: profile.ShortName(name), Module: f.Module, Kind: "native"}
	}
	files := p.Nameless
	p.Nameless = nil
	p.FindNameless(files)
	return len(got)
}
