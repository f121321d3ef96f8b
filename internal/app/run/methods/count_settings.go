package methods

import (
	"slices"

	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/calls"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
)

// CheckCount checks the settings of the counting of named functions, which needs the sampling.
func CheckCount(s *part.Settings) error {
	c := &s.Count
	switch {
	case len(c.Functions) == 0:
		return nil
	case len(c.Functions) > calls.MaxFunctions:
		return command.Usagef("--count: %d functions, at most %d can be counted",
			len(c.Functions), calls.MaxFunctions)
	case s.Methods.WarmUp > 0:
		return command.Usagef("--count counts from the start, and samples begin after --warm-up: " +
			"give one of both")
	}
	for i, f := range c.Functions {
		file, name := fileOf(f)
		switch {
		case name == "":
			return command.Usagef("--count: %q names no function", f)
		case len(name) > protocol.MaxName:
			return command.Usagef("--count: %.40q... has %d bytes; names of at most %d are found",
				name, len(name), protocol.MaxName)
		case slices.Contains(c.Functions[:i], f):
			return command.Usagef("--count: %s is there twice", f)
		case file == "" && (s.Target.Cgroup != "" || s.Target.Unit != ""):
			return command.Usagef("--count %s: with a cgroup or unit, give the file as well: "+
				"/usr/bin/PROGRAM:%s", f, name)
		}
	}
	s.Methods.Wanted = true
	return nil
}

// fileOf splits FILE:NAME at the first colon that stands alone: C++ has pairs of them.
func fileOf(s string) (file, name string) {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] != ':':
		case i+1 < len(s) && s[i+1] == ':':
			i++
		default:
			return s[:i], s[i+1:]
		}
	}
	return "", s
}
