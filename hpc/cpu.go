package hpc

import (
	"fmt"
	"strconv"
	"strings"
)

// CPU identifies a processor, as /proc/cpuinfo does.
type CPU struct {
	// Family, Model and Stepping of x86 processors.
	Family, Model, Stepping int
	// Implementer and Part of Arm processors; 0 on others.
	Implementer, Part int
}

// ParseCPU reads the first processor of /proc/cpuinfo. Missing fields are 0.
func ParseCPU(cpuinfo string) CPU {
	var c CPU
	for line := range strings.Lines(cpuinfo) {
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			if strings.TrimSpace(line) == "" && c != (CPU{}) {
				break // the second processor begins
			}
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(value), 0, 32)
		if err != nil || n < 0 {
			continue
		}
		switch strings.TrimSpace(key) {
		case "cpu family":
			c.Family = int(n)
		case "model":
			c.Model = int(n)
		case "stepping":
			c.Stepping = int(n)
		case "CPU implementer":
			c.Implementer = int(n)
		case "CPU part":
			c.Part = int(n)
		}
	}
	return c
}

// parts is a set of processors: one entry of a family's list.
type parts struct {
	family                 int
	models, steppings      [2]int
	implementer, armPartNo int
}

// parseParts reads "6-55/0..4", "23-30..FF", "41:d0c".
func parseParts(s string) (parts, error) {
	p := parts{steppings: [2]int{0, 0xf}}
	wrong := fmt.Errorf("%q names no processors", s)
	if maker, number, arm := strings.Cut(s, ":"); arm {
		var ok1, ok2 bool
		p.implementer, ok1 = parseHex(maker)
		p.armPartNo, ok2 = parseHex(number)
		if !ok1 || !ok2 || p.implementer == 0 {
			return p, wrong
		}
		return p, nil
	}
	family, rest, ok := strings.Cut(s, "-")
	n, err := strconv.ParseUint(family, 10, 8)
	if !ok || err != nil || n == 0 {
		return p, wrong
	}
	p.family = int(n)
	models, steppings, some := strings.Cut(rest, "/")
	if p.models, ok = parseRange(models); !ok {
		return p, wrong
	}
	if some {
		if p.steppings, ok = parseRange(steppings); !ok {
			return p, wrong
		}
	}
	return p, nil
}

func parseHex(s string) (int, bool) {
	n, err := strconv.ParseUint(s, 16, 16)
	return int(n), err == nil
}

func parseRange(s string) (r [2]int, ok bool) {
	first, last, several := strings.Cut(s, "..")
	if !several {
		last = first
	}
	var ok1, ok2 bool
	r[0], ok1 = parseHex(first)
	r[1], ok2 = parseHex(last)
	return r, ok1 && ok2 && r[0] <= r[1]
}

func (p *parts) has(c CPU) bool {
	if p.implementer != 0 {
		return c.Implementer == p.implementer && c.Part == p.armPartNo
	}
	return c.Implementer == 0 && c.Family == p.family && in(c.Model, p.models) &&
		in(c.Stepping, p.steppings)
}

func in(n int, r [2]int) bool { return r[0] <= n && n <= r[1] }
