package wattmeter

import (
	"fmt"
	"strings"

	"github.com/ebb-energy/ebb/units"
)

// Names of the rungs.
const (
	Meter      = "meter"
	Hypervisor = "hypervisor's meter"
	Machine    = "machine's meter"
	battery    = "battery"
	Trained    = "trained model"
	Spec       = "spec table"
	TDP        = "thermal design power"
	None       = "none"
)

// Rung describes one source of power.
type Rung struct {
	Name   string `json:"rung"`
	Usable bool   `json:"usable"`
	Detail string `json:"detail"` // what it is, or why it is missing
	// LowW and HighW bound the power where the rung has no single figure; else both are 0.
	LowW  float64 `json:"low_w,omitempty"`
	HighW float64 `json:"high_w,omitempty"`
}

// Facts holds what is known of a machine.
type Facts struct {
	Zones   []string // names of the zones of its energy meters
	NoMeter string   // why it has no energy meters
	Guest   bool     // reports whether it is a virtual machine
	Shared  bool     // the user named the meters' tree: the host shares it
	// Machine describes the meter of the whole machine that a run would read; empty: none, and
	// NoMachine says why. MachineNamed reports whether the user named that meter.
	Machine, NoMachine string
	MachineNamed       bool
	// Battery describes the battery that feeds the machine; empty: none does, and NoBattery says
	// why.
	Battery, NoBattery string
	Model              string // describes the trained model that can be used; empty: none
	NoModel            string // why no trained model can be used
	// Processor is its name for people, Families are its families in hpc's table, and CPUs is the
	// number of hardware threads.
	Processor string
	Families  []string
	CPUs      int
	TDP       units.Power // 0: unknown
}

// Rungs returns all rungs, the best first.
func Rungs(f *Facts) []Rung {
	own, hosts := meters(f)
	model := either(Trained, f.Model, f.NoModel)
	machine, battery := either(Machine, f.Machine, f.NoMachine),
		either(battery, f.Battery, f.NoBattery)
	rest := []Rung{battery, model, spec(f), thermal(f.TDP)}
	if f.MachineNamed {
		return append([]Rung{machine, own, hosts}, rest...)
	}
	return append([]Rung{own, hosts, machine}, rest...)
}

// either returns the rung of a source that is described, or of one whose absence is explained.
func either(name, is, isNot string) Rung {
	if is == "" {
		return Rung{Name: name, Detail: isNot}
	}
	return Rung{Name: name, Usable: true, Detail: is}
}

// meters returns the two rungs that measure.
func meters(f *Facts) (own, hosts Rung) {
	own, hosts = Rung{Name: Meter}, Rung{Name: Hypervisor}
	if len(f.Zones) == 0 {
		own.Detail, hosts.Detail = f.NoMeter, "this is no guest"
		if f.Guest {
			hosts.Detail = "the host shares none with this guest; its ebb could (--host-share)"
		}
		return own, hosts
	}
	detail := strings.Join(f.Zones, ", ")
	if f.Guest || f.Shared {
		own.Detail = "the meter found is the hypervisor's"
		hosts.Usable, hosts.Detail = true, detail+", of the whole host or as it divides it"
	} else {
		own.Usable, own.Detail, hosts.Detail = true, detail, "this is no guest"
	}
	return own, hosts
}

// Taken returns the name of the first rung that can be used, without those named.
func Taken(rungs []Rung, without ...string) string {
next:
	for _, r := range rungs {
		for _, w := range without {
			if r.Name == w {
				continue next
			}
		}
		if r.Usable {
			return r.Name
		}
	}
	return None
}

// Find returns the rung of that name; for None, and for a name that rungs lack, an unusable rung
// that says so.
func Find(rungs []Rung, name string) Rung {
	for _, r := range rungs {
		if r.Name == name {
			return r
		}
	}
	return Rung{Name: None, Detail: "nothing says what this machine draws"}
}

// Sentence says which rung is taken. It leaves the missing rungs to ebb doctor.
func Sentence(rungs []Rung, taken string) string {
	at := Find(rungs, taken)
	s := "by " + taken
	if taken == None {
		s = "unknown"
	}
	if at.Detail != "" {
		s += " (" + at.Detail + ")"
	}
	return s
}

func thermal(tdp units.Power) Rung {
	if tdp <= 0 {
		return Rung{Name: TDP, Detail: "not known: --tdp states it"}
	}
	return Rung{Name: TDP, Usable: true, HighW: float64(tdp),
		Detail: fmt.Sprintf("0 to %v for the processor", tdp)}
}
