package activity

import (
	"fmt"
	"strconv"
	"strings"
)

// vmStat holds the part of /proc/vmstat that ebb uses, counted since the machine's start.
type vmStat struct {
	Faults, MajorFaults uint64
	In, Out             uint64 // KiB that were read from and written to disks
}

// parseVMStat reads the text of /proc/vmstat: a name and a number a line.
func parseVMStat(text string) (v vmStat, err error) {
	wanted := map[string]*uint64{"pgfault": &v.Faults, "pgmajfault": &v.MajorFaults,
		"pgpgin": &v.In, "pgpgout": &v.Out}
	for line := range strings.Lines(text) {
		name, number, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		place := wanted[name]
		if place == nil {
			continue
		}
		if *place, err = strconv.ParseUint(number, 10, 64); err != nil {
			return vmStat{}, fmt.Errorf("line %s of vmstat: %w", name, errMalformed)
		}
		delete(wanted, name)
	}
	if len(wanted) > 0 {
		return vmStat{}, fmt.Errorf("vmstat lacks lines: %w", errMalformed)
	}
	return v, nil
}
