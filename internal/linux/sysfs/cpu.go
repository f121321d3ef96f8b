package sysfs

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// CPU is a logical CPU's number.
type CPU int

// Core is a physical core: the number of its lowest CPU, which unlike the kernel's core_id is
// unique in the machine.
type Core int

// Package is a physical package's (socket's) id as the kernel gives it.
type Package int

// Domain is a frequency domain: N of the kernel's cpufreq/policyN.
type Domain int

// Unknown stands for a core, package or domain that the kernel does not report.
const Unknown = -1

// maxCPU bounds the numbers in a list. Linux can be built for at most 8192 CPUs (NR_CPUS on x86); a
// larger number is a damaged file, and a range up to it would eat the memory.
const maxCPU = 1<<16 - 1

var errList = errors.New("no CPU list")

// ParseCPUs reads the kernel's CPU list, such as "0-3,8"; empty is no CPU. The result is ascending.
func ParseCPUs(list string) ([]CPU, error) {
	if list == "" {
		return nil, nil
	}
	var cpus []CPU
	next := CPU(0)
	for part := range strings.SplitSeq(list, ",") {
		first, last, isRange := strings.Cut(part, "-")
		lo, err := parseCPU(first)
		hi := lo
		if err == nil && isRange {
			hi, err = parseCPU(last)
		}
		if err != nil {
			return nil, err
		}
		if lo < next || hi < lo {
			return nil, fmt.Errorf("%w: %.40q is not ascending", errList, part)
		}
		for c := lo; c <= hi; c++ {
			cpus = append(cpus, c)
		}
		next = hi + 1
	}
	return cpus, nil
}

func parseCPU(s string) (CPU, error) {
	n, err := strconv.ParseUint(s, 10, 32)
	if err != nil || n > maxCPU {
		return 0, fmt.Errorf("%w: %.40q is no CPU number", errList, s)
	}
	return CPU(n), nil
}

// parseSet reads the text of the cpufreq files related_cpus and affected_cpus: numbers separated by
// spaces. It also accepts a list.
func parseSet(s string) ([]CPU, error) { return ParseCPUs(strings.Join(strings.Fields(s), ",")) }

// FormatCPUs writes ascending CPUs as the kernel's list.
func FormatCPUs(cpus []CPU) string {
	var b strings.Builder
	for i := 0; i < len(cpus); {
		j := i
		for j+1 < len(cpus) && cpus[j+1] == cpus[j]+1 {
			j++
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(int(cpus[i])))
		if j > i {
			b.WriteByte('-')
			b.WriteString(strconv.Itoa(int(cpus[j])))
		}
		i = j + 1
	}
	return b.String()
}
