package symbols

import (
	"path"
	"slices"
	"strings"
)

// maxArguments bounds the part of a command line in which switches are looked for, in bytes.
const maxArguments = 64 << 10

// Switches returns which lists of its code a process was asked to write, as far as is known:
// switches on its command line, and "perf map" and "jitdump" where it has one. The environment of a
// runtime can also ask for them, which is not seen here.
func (r *Resolver) Switches(i Image) []string {
	p := r.process(i, 0)
	out := slices.Clone(p.switches)
	if p.mapped {
		out = append(out, "perf map")
	}
	if slices.ContainsFunc(p.dumps, (*dump).begun) {
		out = append(out, "jitdump")
	}
	return out
}

// findSwitches reads the command line of a process that has a runtime with such switches.
func (r *Resolver) findSwitches(p *process) {
	if p.searched || !slices.ContainsFunc(p.maps, hasSwitches) {
		return
	}
	p.searched = true
	line, err := firstBytes(maxArguments)(r.source.CommandLine(p.image))
	if err != nil {
		return // the process has ended; its files show what it wrote
	}
	p.switches = switchesOf(string(line))
}

// hasSwitches reports whether a mapping is of Python or Node.js.
func hasSwitches(m mapping) bool {
	name := path.Base(m.Path)
	return strings.HasPrefix(name, "python") || strings.HasPrefix(name, "libpython") ||
		strings.HasPrefix(name, "node") || strings.HasPrefix(name, "libnode")
}

// switchesOf finds the switches of a command line, whose arguments are each ended by a zero byte.
// Arguments behind the name of a script are the script's.
func switchesOf(line string) (out []string) {
	args := strings.Split(line, "\x00")
	add := func(s string) {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	for i := 1; i < len(args) && strings.HasPrefix(args[i], "-"); i++ {
		arg := args[i]
		switch {
		case arg == "--" || arg == "-c" || arg == "-m":
			return out
		case arg == "-X" && i+1 < len(args):
			i++
			arg = "-X" + args[i]
		case (arg == "-W" || arg == "-r" || arg == "--require" || arg == "--import") &&
			i+1 < len(args):
			i++
			continue
		}
		switch strings.ReplaceAll(arg, "_", "-") {
		case "-Xperf":
			add("-X perf")
		case "-Xperf-jit":
			add("-X perf_jit")
		case "--perf-basic-prof", "--perf-basic-prof-only-functions":
			add("--perf-basic-prof")
		case "--perf-prof", "--interpreted-frames-native-stack":
			add(strings.ReplaceAll(arg, "_", "-"))
		}
	}
	return out
}
