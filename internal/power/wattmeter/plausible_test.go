package wattmeter

import (
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/units"
)

// TestPlausible: the zone's own limit, else twice the thermal design power, else the spec table.
func TestPlausible(t *testing.T) {
	server := Facts{Families: []string{"zen4"}, Processor: "AMD EPYC 9454", CPUs: 96}
	guest, stated := server, server
	guest.Guest, stated.TDP = true, 65
	for name, c := range map[string]struct {
		facts Facts
		kind  string
		own   units.Power
		most  units.Power
		by    string
	}{
		"its own limit":               {stated, "package", 28, 28, "own power limits"},
		"a limit that is none":        {stated, "package", 4095, 130, "thermal design power"},
		"twice the TDP":               {stated, "package", 0, 130, "thermal design power"},
		"of the cores, too":           {stated, "cores", 0, 130, "thermal design power"},
		"memory has none of that":     {stated, "dram", 0, mostPart, "any processor"},
		"memory's own":                {stated, "dram", 41.25, 41.25, "own power limits"},
		"the platform":                {stated, "psys", 0, MostPlatform, "any machine"},
		"the spec table":              {server, "package", 0, 2 * 2.28 * 96, "spec table"},
		"a guest sees its whole host": {guest, "package", 0, mostPart, "any processor"},
		"nothing is known":            {Facts{}, "package", 0, mostPart, "any processor"},
	} {
		if most, by := Plausible(&c.facts, c.kind, c.own); most-c.most > 1e-9 ||
			c.most-most > 1e-9 || !strings.Contains(by, c.by) {
			t.Errorf("%s: %v, %q; want %v, %q", name, most, by, c.most, c.by)
		}
	}
}
