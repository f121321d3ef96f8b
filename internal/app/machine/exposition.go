package machine

import (
	"fmt"
	"io"
	"strings"
)

// exposition writes a report in Prometheus's text format, version 0.0.4. Without a meter there are
// no series of joules.
func (r *Report) exposition(w io.Writer) error {
	var b strings.Builder
	if len(r.Zones) > 0 {
		r.groupJoules(&b)
		r.machineJoules(&b)
	}
	header(&b, "ebb_group_cpu_seconds_total", "CPU time of a group.")
	for _, g := range r.Groups {
		sample(&b, "ebb_group_cpu_seconds_total", g.CPUNS, "kind", g.Kind, "name", g.Name)
	}
	header(&b, "ebb_machine_cpu_seconds_total",
		"CPU time of the machine by part: all groups, others, idle.")
	for _, x := range []struct {
		part string
		ns   int64
	}{{"groups", r.GroupsNS}, {"others", r.OthersNS}, {"idle", r.IdleNS}} {
		sample(&b, "ebb_machine_cpu_seconds_total", x.ns, "part", x.part)
	}
	header(&b, "ebb_groups_refused_total",
		"Stretches of CPU time that found no room in the kernel's map of cgroups.")
	fmt.Fprintf(&b, "ebb_groups_refused_total %d\n", r.Refused)
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Report) groupJoules(b *strings.Builder) {
	const name, idle = "ebb_group_energy_joules_total", "ebb_group_idle_energy_joules_total"
	header(b, name, "Energy of a group, without idle energy.")
	for _, g := range r.Groups {
		for i, j := range g.Energy {
			sample(b, name, j.EnergyNJ, "kind", g.Kind, "name", g.Name, "zone", j.Zone, "source",
				r.Zones[i].Source)
		}
	}
	if r.ShareIdle == "" {
		return
	}
	header(b, idle, "Part of the idle energy that a group is given, beside its own.")
	for _, g := range r.Groups {
		for i, j := range g.Energy {
			if j.IdleNJ != nil {
				sample(b, idle, *j.IdleNJ, "kind", g.Kind, "name", g.Name, "zone", j.Zone,
					"source", r.Zones[i].Source, "rule", r.ShareIdle)
			}
		}
	}
}

func (r *Report) machineJoules(b *strings.Builder) {
	const name = "ebb_machine_energy_joules_total"
	header(b, name, "Energy of the machine by part: all groups, others, idle, unattributed. "+
		"The parts of a zone add up to what its meter counted.")
	for _, z := range r.Zones {
		for _, x := range []struct {
			part string
			nj   int64
		}{{"groups", z.AttributedNJ}, {"others", z.OthersNJ}, {"idle", z.IdleNJ},
			{"unattributed", z.UnattributedNJ}} {
			sample(b, name, x.nj, "zone", z.Name, "source", z.Source, "part", x.part)
		}
	}
}

func header(b *strings.Builder, name, help string) {
	fmt.Fprintf(b, "# HELP %s %s\n# TYPE %s counter\n", name, help, name)
}

// escaped escapes the characters of a label's value that the format requires to be escaped.
var escaped = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// sample writes a value, a whole number of billionths, without rounding it.
func sample(b *strings.Builder, name string, billionths int64, labels ...string) {
	b.WriteString(name)
	for i := 0; i+1 < len(labels); i += 2 {
		before := ","
		if i == 0 {
			before = "{"
		}
		b.WriteString(before)
		b.WriteString(labels[i] + `="` + escaped.Replace(labels[i+1]) + `"`)
	}
	fmt.Fprintf(b, "} %d.%09d\n", billionths/1e9, billionths%1e9)
}
