package front

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/ebb-energy/ebb/internal/app/serve/api"
	"github.com/ebb-energy/ebb/internal/app/serve/board"
)

// exposition is a text of metrics in Prometheus' text format, version 0.0.4.
type exposition []byte

// family holds the metrics of one name.
type family struct {
	name, kind, help string
	samples          bytes.Buffer
}

// families holds the families of an exposition, in their order.
type families struct{ list []*family }

// family begins a family. One without a sample is left out.
func (x *families) family(name, kind, help string) *family {
	f := &family{name: name, kind: kind, help: help}
	x.list = append(x.list, f)
	return f
}

// escaped escapes a label's value.
var escaped = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// add adds a sample. labels are names and values in turn.
func (f *family) add(value float64, labels ...string) {
	f.samples.WriteString(f.name)
	for i := 0; i < len(labels); i += 2 {
		sep := ","
		if i == 0 {
			sep = "{"
		}
		fmt.Fprintf(&f.samples, `%s%s="%s"`, sep, labels[i], escaped.Replace(strings.ToValidUTF8(
			labels[i+1], "\uFFFD")))
	}
	if len(labels) > 0 {
		f.samples.WriteByte('}')
	}
	f.samples.WriteByte(' ')
	f.samples.WriteString(strconv.FormatFloat(value, 'g', -1, 64))
	f.samples.WriteByte('\n')
}

func (x *families) text() exposition {
	var b bytes.Buffer
	for _, f := range x.list {
		if f.samples.Len() > 0 {
			fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n", f.name, f.help, f.name, f.kind)
			_, _ = f.samples.WriteTo(&b) // writes to memory, which never fails
		}
	}
	return b.Bytes()
}

const (
	counter = "counter"
	gauge   = "gauge"
)

// metrics returns all figures of the board. A figure that is not known is absent.
func metrics(b *board.Board, s *board.Service) exposition {
	x := &families{}
	tenantMetrics(x, b, s)
	busy := x.family("ebb_domain_busy_seconds_total", counter,
		"Time that threads of tenants ran on the CPUs of a frequency domain, of all CPUs together.")
	cycles := x.family("ebb_domain_cycles_total", counter,
		"Cycles that threads of tenants counted on the CPUs of a frequency domain.")
	for i := range s.Domains {
		d, ok := b.Domain(i)
		if !ok {
			continue
		}
		label := strconv.Itoa(i)
		busy.add(d.Busy.Seconds(), "domain", label)
		if d.Counted {
			cycles.add(float64(d.Cycles), "domain", label)
		}
	}
	energy := x.family("ebb_energy_joules_total", counter,
		"Energy that a meter of the machine has shown while tenants were governed.")
	for i := range s.Zones {
		if z, ok := b.Zone(i); ok {
			energy.add(float64(z.Energy)/1e9, "zone", z.Name, "source", z.Source)
		}
	}
	quanta := x.family("ebb_quanta_total", counter, "Quanta of tenants, by what became of them.")
	for i, n := range s.Quanta {
		quanta.add(float64(n), "result", api.Results[i])
	}
	x.family("ebb_lost_records_total", counter,
		"Records of the kernel's that were lost in quanta of tenants.").add(float64(s.Lost))
	if s.PendingKnown {
		x.family("ebb_restore_pending", gauge,
			"1 where clocks are not put back that an ebb which is gone has set, else 0.").
			add(truth(s.Pending))
	}
	shadow := x.family("ebb_shadow", gauge, "1 where ebb sets no clock, else 0.")
	if s.State != board.Starting {
		shadow.add(truth(s.Shadow))
	}
	return x.text()
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// tenantMetrics adds the metrics of each governed tenant, and of those that have lost their record,
// as one.
func tenantMetrics(x *families, b *board.Board, s *board.Service) {
	reference := x.family("ebb_tenant_reference_seconds_total", counter,
		"Time that a tenant's work would have taken at the highest clock, by the model.")
	excess := x.family("ebb_tenant_excess_seconds_total", counter,
		"Time that a tenant's work took beyond that, by the model.")
	budget := x.family("ebb_tenant_budget_ratio", gauge,
		"Excess that a tenant is allowed, as a share of the reference time.")
	imposed := x.family("ebb_tenant_imposed_joules_total", counter,
		"Energy that clocks above a tenant's own wish have cost it, by the model.")
	saved := x.family("ebb_tenant_saved_joules_total", counter,
		"Energy that a tenant's work drew less than at the highest clock, by the model.")
	add := func(t *board.Tenant) {
		reference.add(t.Reference/1e9, "tenant", t.Name)
		excess.add(t.Excess/1e9, "tenant", t.Name)
		if t.Objective == "slowdown" {
			budget.add(t.Budget, "tenant", t.Name)
		}
		if t.EnergyKnown {
			imposed.add(float64(t.Borne)/1e9, "tenant", t.Name, "source", "model")
			saved.add(float64(t.Saved)/1e9, "tenant", t.Name, "source", "model")
		}
	}
	others, some := b.Tenant(board.Other)
	for i := range s.Tenants {
		t, ok := b.Tenant(i)
		if !ok || !t.Governed {
			continue
		}
		if some && t.Name == others.Name { // one series has the sums of both
			t.Reference, t.Excess = t.Reference+others.Reference, t.Excess+others.Excess
			t.Borne, t.Saved = t.Borne+others.Borne, t.Saved+others.Saved
			t.EnergyKnown = t.EnergyKnown || others.EnergyKnown
			some = false
		}
		add(&t)
	}
	if some {
		add(&others)
	}
}
