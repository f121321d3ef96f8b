package profile

import (
	"slices"
	"strings"

	"github.com/ebb-energy/ebb/internal/render/printable"
)

// Switches are the lists of its code that a process was asked to write, by switches of its command
// line: "perf map" and "jitdump" where it had one.
type Switches struct {
	PID int32    `json:"pid"`
	On  []string `json:"on"`
}

// runtime is a way in which a runtime names functions on request, with the request's switch.
type runtime struct {
	language string
	function string // function that runs the program's code; "" for any of the file
	file     string // its file's name, without a version
	made     bool   // it is known by its file where code that has no name was made
	how      string
	more     string // a second switch, for functions that the first one leaves out
	names    string // functions that the second switch names
	since    string // from when on there are such lists, for a process that was asked and has none
}

// runtimes are the runtimes that name their functions on request.
var runtimes = []runtime{
	{language: "Python", function: "_PyEval_EvalFrameDefault",
		how:   "python3 -X perf, of Python 3.12 or later, names them",
		since: "; Python has lists from 3.12 on"},
	{language: "Node.js", function: "Builtins_JSEntryTrampoline", how: "node --perf-basic-prof " +
		"names them; with --interpreted-frames-native-stack also those that are not compiled yet",
		more: "--interpreted-frames-native-stack", names: "those that are not compiled yet"},
	{language: ".NET", file: "libcoreclr.so",
		how: "DOTNET_PerfMapEnabled=1 in its environment names them"},
	{language: "PHP", file: "php", made: true, how: "php -d opcache.jit_debug=16, or the same in " +
		"php.ini, names the functions that its compiler made"},
	{language: "PHP", file: "libphp", made: true,
		how: "opcache.jit_debug=16 in php.ini names the functions that its compiler made"},
	{language: "Erlang", file: "beam.smp", made: true,
		how: "erl +JPperf true, of OTP 24 or later, names them"},
	{language: "Mono", file: "mono", made: true, how: "mono --jitmap names the methods"},
	{language: "Mono", file: "libmono", made: true,
		how: "MONO_ENV_OPTIONS=--jitmap in its environment names the methods"},
	{language: "Mono", file: "libmonosgen", made: true,
		how: "MONO_ENV_OPTIONS=--jitmap in its environment names the methods"},
	{language: "Node.js", file: "node", made: true, how: "node --no-short-builtin-calls names " +
		"the builtins that --use-largepages copied"},
}

// of reports whether a frame is of the runtime's file: of that name, or with a version behind it.
func (r *runtime) of(f *Frame) bool {
	version, is := strings.CutPrefix(f.Module, r.file)
	return r.file != "" && is && (version == "" || strings.ContainsAny(version[:1], "-.0123456789"))
}

// interprets reports whether a function is one in which a runtime runs the program's code.
func (f *Frame) interprets() bool {
	for i := range runtimes {
		if f.Kind == "native" && f.Name == runtimes[i].function {
			return true
		}
	}
	return false
}

// unnamed says which switch would name the functions of a runtime that has a noticeable share of
// the energy without naming any. It advises no switch that is on.
func (p *Profile) unnamed(rule int) (lines []string) {
	var all int64
	type part struct {
		runtime int
		on      string // the switches of the process, with commas between them
	}
	parts := map[part]int64{}
	on := map[int32]string{}
	for _, s := range p.Switches {
		on[s.PID] = cut(strings.Join(s.On, ", "))
	}
	for i := range p.Stacks {
		s := &p.Stacks[i]
		all += s.EnergyNJ[rule]
		if at := p.runtimeOf(s); at >= 0 {
			parts[part{at, on[p.Threads[s.Thread].PID]}] += s.EnergyNJ[rule]
		}
	}
	for i, r := range runtimes {
		var kinds []string
		for k := range parts {
			if k.runtime == i {
				kinds = append(kinds, k.on)
			}
		}
		slices.Sort(kinds)
		for _, on := range kinds {
			used := share(parts[part{i, on}], all)
			if used < noticeable {
				continue
			}
			how := ": " + r.how
			switch {
			case !asksForList(on):
			case !strings.Contains(on, "perf map") && !strings.Contains(on, "jitdump"):
				how = ": it was asked for a list of its code (" + on + "), and none was found" +
					r.since
			case r.more != "" && !strings.Contains(on, r.more):
				how = ", though it lists its code (" + on + "): " + r.more + " names " + r.names
			default:
				how = ", though it lists its code (" + on + ")"
			}
			if strings.Contains(on, "jitdump") {
				how += "; a program that runs on may not have written its last records yet"
			}
			lines = append(lines, printable.Percent(used)+" of the "+p.divided()+
				" is used by functions of "+r.language+" that have no name"+how)
		}
	}
	return lines
}

// asksForList reports whether a process's switches ask for a list of its code or there is one; the
// second switch of a runtime alone does not.
func asksForList(on string) bool {
	return slices.ContainsFunc([]string{"-X perf", "--perf-", "perf map", "jitdump"},
		func(s string) bool { return strings.Contains(on, s) })
}

// Runtimes returns the processes that ran functions of such runtimes without a name, in order.
func (p *Profile) Runtimes() (pids []int32) {
	for i := range p.Stacks {
		s := &p.Stacks[i]
		if pid := p.Threads[s.Thread].PID; pid != 0 && !slices.Contains(pids, pid) &&
			len(pids) < maxRuntimes && p.runtimeOf(s) >= 0 {
			pids = append(pids, pid)
		}
	}
	slices.Sort(pids)
	return pids
}

// maxRuntimes bounds the processes that are asked for their switches.
const maxRuntimes = 256

// runtimeOf returns the index of the runtime whose code a stack ran without a name; -1 for none.
func (p *Profile) runtimeOf(s *Stack) int {
	found := -1
	for _, i := range s.Frames {
		f := &p.Frames[i]
		if _, named := managedOf(f); named {
			return -1
		}
		for j := range runtimes {
			r := &runtimes[j]
			if !r.made && (r.function != "" && f.Name == r.function || r.of(f)) {
				found = j
			}
		}
	}
	return found
}
