package sysfs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// cpuDir is the directory of the CPUs, below /sys.
const cpuDir = "devices/system/cpu"

// Place says where a CPU sits. Parts that the kernel does not report are Unknown.
type Place struct {
	CPU     CPU
	Core    Core
	Package Package
	Domain  Domain
}

// Layout holds the CPUs that are online and where each sits, at the moment it was read.
type Layout struct {
	Places []Place // ascending by CPU
	index  map[CPU]int
}

// ReadLayout reads the machine below fs, the tree at /sys. A missing file leaves an Unknown; it
// fails only when it finds no CPU.
func ReadLayout(fs *FS) (*Layout, error) {
	online, err := OnlineCPUs(fs)
	if err != nil {
		return nil, err
	}
	domains := readDomains(fs)
	m := &Layout{index: make(map[CPU]int, len(online))}
	for i, c := range online {
		d, ok := domains[c]
		if !ok {
			d = Unknown
		}
		m.index[c] = i
		m.Places = append(m.Places, Place{CPU: c, Core: readCore(fs, c),
			Package: readPackage(fs, c), Domain: d})
	}
	return m, nil
}

// OnlineCPUs returns the CPUs of the kernel's own list. Without a list every CPU that has a
// directory counts as online.
func OnlineCPUs(fs *FS) ([]CPU, error) {
	if text, err := fs.Read(cpuDir + "/online"); err == nil {
		if cpus, err := ParseCPUs(text); err == nil && len(cpus) > 0 {
			return cpus, nil
		}
	}
	names, err := fs.Names(cpuDir)
	if err != nil {
		return nil, fmt.Errorf("find the CPUs: %w", err)
	}
	var cpus []CPU
	for _, n := range names {
		if number, ok := strings.CutPrefix(n, "cpu"); ok {
			if c, err := parseCPU(number); err == nil {
				cpus = append(cpus, c)
			}
		}
	}
	if len(cpus) == 0 {
		return nil, fmt.Errorf("find the CPUs: %w in %s", ErrAbsent, cpuDir)
	}
	slices.Sort(cpus)
	return slices.Compact(cpus), nil
}

func topologyFile(c CPU, name string) string {
	return cpuDir + "/cpu" + strconv.Itoa(int(c)) + "/topology/" + name
}

// readCore finds the core by its lowest CPU. thread_siblings_list is the name before Linux 5.3.
func readCore(fs *FS, c CPU) Core {
	for _, name := range []string{"core_cpus_list", "thread_siblings_list"} {
		text, err := fs.Read(topologyFile(c, name))
		if err != nil {
			continue
		}
		if cpus, err := ParseCPUs(text); err == nil && slices.Contains(cpus, c) {
			return Core(cpus[0])
		}
	}
	return Unknown
}

func readPackage(fs *FS, c CPU) Package {
	id, err := fs.ReadInt(topologyFile(c, "physical_package_id"))
	if err != nil || id < 0 || id > maxCPU {
		return Unknown // -1 on some Arm machines
	}
	return Package(id)
}

// readDomains maps the CPUs to their cpufreq policy. A machine without policies has an empty map.
func readDomains(fs *FS) map[CPU]Domain {
	domains := map[CPU]Domain{}
	ids, err := Domains(fs)
	if err != nil {
		return domains
	}
	for _, id := range ids {
		cpus, err := DomainCPUs(fs, id, "related_cpus")
		if err != nil {
			continue
		}
		for _, c := range cpus {
			domains[c] = id
		}
	}
	return domains
}
