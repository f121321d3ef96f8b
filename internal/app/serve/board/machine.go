package board

import (
	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/units"
)

// Domain returns a domain's record, to be changed and then written by StoreDomains; nil where there
// are more domains than a board has.
func (w *Writer) Domain(d arbiter.Domain) *Domain {
	if int(d) >= maxDomains {
		return nil
	}
	for int(d) >= len(w.domains) {
		w.domains = append(w.domains, Domain{})
		w.storeDomain(len(w.domains) - 1)
		w.service.Domains = len(w.domains)
	}
	return &w.domains[d]
}

// StoreDomains writes the records of all domains.
func (w *Writer) StoreDomains() {
	for i := range w.domains {
		w.storeDomain(i)
	}
}

func (w *Writer) storeDomain(i int) {
	w.b.store(domainsAt+i*domainWords, domainWords, &w.domains[i])
}

// Meter writes the energy of a meter since it was opened. A meter of the same name and source that
// was opened before goes on with its sum.
func (w *Writer) Meter(name, kind, source string, since units.Energy, at units.Instant) {
	for i := range w.zones {
		if z := &w.zones[i]; z.Name == name && z.Source == source {
			w.meter(i, z.had+since, at)
			return
		}
	}
	if len(w.zones) == maxZones {
		return
	}
	w.zones = append(w.zones, zone{Zone: Zone{Name: name, Kind: kind, Source: source}})
	w.service.Zones = len(w.zones)
	w.meter(len(w.zones)-1, since, at)
}

func (w *Writer) meter(i int, sum units.Energy, at units.Instant) {
	z := &w.zones[i]
	sum = max(sum, z.Energy)
	if d := at.Sub(z.At); z.At != 0 && d > 0 {
		z.Power = units.Power(float64(sum-z.Energy) / float64(d.Nanoseconds())) // nJ/ns are W
	}
	z.Energy, z.At = sum, at
	w.storeZone(i)
}

func (w *Writer) storeZone(i int) {
	w.b.store(zonesAt+i*zoneWords, zoneWords, &w.zones[i].Zone)
}

// Decide writes a decision.
func (w *Writer) Decide(d *Decision) {
	at := int(w.service.Decided % Decisions)
	w.b.store(decisionsAt+at*decisionWords, decisionWords, d)
	w.service.Decided++
}
