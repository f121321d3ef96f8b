package sysfs

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// domainDir is the directory of the frequency domains, below /sys.
const domainDir = cpuDir + "/cpufreq"

// Dir returns the domain's directory below /sys.
func (d Domain) Dir() string { return domainDir + "/policy" + strconv.Itoa(int(d)) }

// Domains lists the machine's frequency domains in ascending order. A machine without frequency
// control has none: the directory may be missing or empty, neither is an error.
func Domains(fs *FS) ([]Domain, error) {
	names, err := fs.Names(domainDir)
	if errors.Is(err, ErrAbsent) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var ids []Domain
	for _, name := range names {
		number, ok := strings.CutPrefix(name, "policy")
		if !ok {
			continue
		}
		if c, err := parseCPU(number); err == nil && strconv.Itoa(int(c)) == number {
			ids = append(ids, Domain(c))
		}
	}
	return ids, nil
}

// DomainCPUs reads one of the domain's CPU sets: related_cpus (all CPUs) or affected_cpus (those
// online).
func DomainCPUs(fs *FS, d Domain, file string) ([]CPU, error) {
	path := d.Dir() + "/" + file
	text, err := fs.Read(path)
	if err != nil {
		return nil, err
	}
	cpus, err := parseSet(text)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w: %w", path, ErrMalformed, err)
	}
	return cpus, nil
}
