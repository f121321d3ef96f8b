package hpc

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"
)

// Family is a group of processors that count the same events.
type Family struct {
	Key   string
	Title string
	PMU   PMU // directory's name, with * for a number; a hybrid processor has a Family for each
	parts []parts
	// Events holds the events by counter, without counters that the family cannot count.
	Events map[string]Event
}

//go:embed families.toml
var familiesText string

// Families returns all families of the table.
var Families = sync.OnceValue(func() []Family {
	f, err := parseFamilies(familiesText)
	if err != nil {
		panic("hpc: families.toml: " + err.Error()) // the file is part of the program, and tested
	}
	return f
})

// Identify finds the families of a processor: none when the table lacks it, one for each kind of
// core when it is hybrid.
func Identify(c CPU) []Family {
	var found []Family
	for _, f := range Families() {
		if slices.ContainsFunc(f.parts, func(p parts) bool { return p.has(c) }) {
			found = append(found, f)
		}
	}
	return found
}

// tomlEvent is an event in the table's form.
type tomlEvent struct {
	Event  string
	Config uint64
	Note   string
	Errata string
}

func parseFamilies(text string) ([]Family, error) {
	var table struct {
		Family []struct {
			Key, Title, PMU string
			CPUs            []string
			StallLo         *tomlEvent `toml:"stall_lo_cycles"`
			OccHi           *tomlEvent `toml:"occ_hi_cycles"`
			StoreFull       *tomlEvent `toml:"store_full_cycles"`
			StoreRFO        *tomlEvent `toml:"store_rfo_cycles"`
			FetchWait       *tomlEvent `toml:"fetch_cycles"`
			Empty           *tomlEvent `toml:"empty_cycles"`
		}
	}
	meta, err := toml.Decode(text, &table)
	if err != nil {
		return nil, err
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return nil, fmt.Errorf("unknown key %s", unknown[0])
	}
	var out []Family
	for _, t := range table.Family {
		f := Family{Key: t.Key, Title: t.Title, PMU: PMU(t.PMU), Events: map[string]Event{}}
		if f.Key == "" || f.PMU == "" || len(t.CPUs) == 0 {
			return nil, fmt.Errorf("family %q has no key, PMU or processors", t.Key)
		}
		for _, c := range t.CPUs {
			p, err := parseParts(c)
			if err != nil {
				return nil, fmt.Errorf("family %s: %w", f.Key, err)
			}
			f.parts = append(f.parts, p)
		}
		for name, e := range map[string]*tomlEvent{StallLo: t.StallLo, OccHi: t.OccHi,
			StoreFull: t.StoreFull, StoreRFO: t.StoreRFO, FetchWait: t.FetchWait,
			Empty: t.Empty} {
			if e != nil {
				f.Events[name] = Event{Name: name, PMU: f.PMU, Config: e.Config, What: e.what()}
			}
		}
		out = append(out, f)
	}
	return out, nil
}

func (e *tomlEvent) what() string {
	s := e.Event
	if e.Note != "" {
		s += " (" + e.Note + ")"
	}
	if e.Errata != "" {
		s += " (errata " + e.Errata + ")"
	}
	return s
}

// Titles joins the families' names, for people.
func Titles(families []Family) string {
	var t []string
	for i := range families {
		t = append(t, families[i].Title)
	}
	return strings.Join(t, " + ")
}

// counters returns the names of the counters that some family of the table has.
func counters() []string {
	names := map[string]bool{}
	for _, f := range Families() {
		for n := range f.Events {
			names[n] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}
