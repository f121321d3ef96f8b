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

// runtimes are the runtimes that name their functions on request, with the request's switch. A
// runtime is known by a function that runs the program's code, or by its library.
var runtimes = []struct {
	language string
	function string // function of its interpreter, "" for any of its file
	file     string // beginning of its file's name
	how      string
	more     string // a second switch, for functions that the first one leaves out
	names    string // functions that the second switch names
}{
	{"Python", "_PyEval_EvalFrameDefault", "", "python3 -X perf, of Python 3.12 or later, names " +
		"them", "", ""},
	{"Node.js", "Builtins_JSEntryTrampoline", "", "node --perf-basic-prof names them; with " +
		"--interpreted-frames-native-stack also those that are not compiled yet",
		"--interpreted-frames-native-stack", "those that are not compiled yet"},
	{".NET", "", "libcoreclr.so", "DOTNET_PerfMapEnabled=1 in its environment names them", "", ""},
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
			case on == "":
			case r.more != "" && !strings.Contains(on, r.more):
				how = ", though it lists its code (" + on + "): " + r.more + " names " + r.names
			default:
				how = ", though it lists its code (" + on + ")"
			}
			lines = append(lines, printable.Percent(used)+" of the "+p.divided()+
				" is used by functions of "+r.language+" that have no name"+how)
		}
	}
	return lines
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
		for j, r := range runtimes {
			if r.function != "" && f.Name == r.function ||
				r.file != "" && strings.HasPrefix(f.Module, r.file) {
				found = j
			}
		}
	}
	return found
}
