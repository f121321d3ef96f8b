package host

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/internal/app/doctor"
	"github.com/ebb-energy/ebb/internal/app/qualify"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
)

// there makes step 1: it takes the doctor's findings, and what the doctor does not look at.
func (h *host) there(_ context.Context, step *qualify.Step) error {
	d := doctor.Doctor{Sysfs: h.Sysfs, Proc: h.Proc, RunDir: h.RunDir}
	t := &qualify.There{Findings: []qualify.Finding{}, Rivals: []string{}, Idle: idleStates(h.fs),
		Domains: []qualify.DomainFound{}, Supply: supply(h.fs), Turbo: "unknown"}
	for _, f := range d.Examine() {
		t.Findings = append(t.Findings, qualify.Finding{What: f.What, State: f.State,
			Detail: f.Detail})
	}
	found, err := cpufreq.FindRivals(cpufreq.RivalPlaces{Proc: h.Proc, Run: "/run", Sys: h.fs})
	if err != nil {
		miss(step, "the search for other programs", err)
	}
	for _, r := range found {
		t.Rivals = append(t.Rivals, r.Name)
	}
	if v, err := h.fs.Read("devices/system/cpu/smt/control"); err == nil {
		t.SMT = strings.TrimSpace(v)
	}
	machine, err := cpufreq.Open(h.fs)
	if err != nil {
		miss(step, "frequency domains", err)
	} else {
		for i := range machine.Domains {
			d := &machine.Domains[i]
			t.Domains = append(t.Domains, qualify.DomainFound{ID: int(d.ID), CPUs: len(d.Online),
				Driver: d.Driver, Governor: d.Governor, MinHz: int64(d.Min), MaxHz: int64(d.Max),
				States: len(d.States)})
			if d.Boost != cpufreq.BoostUnknown {
				t.Turbo = d.Boost.String()
			}
		}
	}
	step.There = t
	return nil
}

// supply returns the machine's source of power by the class power_supply: "AC", "battery", or ""
// where nothing says so, as on most servers.
func supply(fs *sysfs.FS) string {
	const class = "class/power_supply"
	names, err := fs.Names(class)
	if err != nil {
		return ""
	}
	found := ""
	for _, name := range names {
		read := func(what string) string {
			v, _ := fs.Read(path.Join(class, name, what)) // a missing attribute is empty
			return strings.TrimSpace(v)
		}
		switch kind := read("type"); {
		case kind == "Mains" && read("online") == "1", kind == "USB" && read("online") == "1":
			return "AC"
		case kind == "Battery" && read("scope") != "Device" && read("status") == "Discharging":
			found = "battery"
		}
	}
	return found
}

// idleStates returns the idle states of the first CPU, the disabled ones in brackets.
func idleStates(fs *sysfs.FS) []string {
	const dir = "devices/system/cpu/cpu0/cpuidle"
	out := []string{}
	names, err := fs.Names(dir)
	if err != nil {
		return out
	}
	slices.Sort(names)
	for _, n := range names {
		name, err := fs.Read(path.Join(dir, n, "name"))
		if err != nil {
			continue
		}
		name = strings.TrimSpace(name)
		if off, err := fs.ReadInt(path.Join(dir, n, "disable")); err == nil && off != 0 {
			name = "(" + name + ")"
		}
		out = append(out, name)
	}
	return out
}
