package sysfs

import (
	"fmt"
	"strings"
)

// cpuinfoStart is as much of cpuinfo, in bytes, as the first CPU's block needs; the whole file has
// a block for each CPU.
const cpuinfoStart = 8 << 10

// ModelName returns the processor's name from cpuinfo below proc, the tree at /proc. It is for
// people to read. Arm kernels have no name there: then the error is ErrAbsent.
func ModelName(proc *FS) (string, error) {
	text, err := proc.ReadStart("cpuinfo", cpuinfoStart)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(text) {
		key, value, ok := strings.Cut(line, ":")
		if !ok || !strings.HasSuffix(line, "\n") {
			continue
		}
		switch strings.TrimSpace(key) {
		case "model name", "cpu model", "cpu": // x86, MIPS, POWER
			if name := strings.Join(strings.Fields(value), " "); name != "" {
				return name, nil
			}
		}
	}
	return "", fmt.Errorf("processor's name in cpuinfo: %w", ErrAbsent)
}
