package profile

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ebb-energy/ebb/internal/render/printable"
)

// makers are runtimes that list the code that they make on request, each with the beginning of its
// file's name and the request. Those that are known by what calls their code are in runtimes.
var makers = []struct{ file, language, how string }{
	{"php", "PHP", "php -d opcache.jit_debug=16, or the same in php.ini, names the " +
		"functions that its compiler made"},
	{"libphp", "PHP", "opcache.jit_debug=16 in php.ini names the functions that its compiler made"},
	{"beam.smp", "Erlang", "erl +JPperf true, of OTP 24 or later, names them"},
	{"mono", "Mono", "mono --jitmap names the methods"},
	{"libmono", "Mono", "MONO_ENV_OPTIONS=--jitmap in its environment names the methods"},
	{"node", "Node.js", "node --no-short-builtin-calls names the builtins that --use-largepages " +
		"copied"},
}

// unlisted is what a program has in sentences about code that it made while it ran.
type unlisted struct{ program, how string }

// madeWithoutNames says how much of the energy was used by code that programs made, or unpacked,
// while they ran, of which nothing has the names, and what would have them.
func (p *Profile) madeWithoutNames(rule int) (lines []string) {
	var all int64
	used := map[unlisted]int64{}
	by := p.unlistedOf()
	for i := range p.Stacks {
		s := &p.Stacks[i]
		all += s.EnergyNJ[rule]
		if p.runsMade(s) && p.runtimeOf(s) < 0 {
			used[by[p.Threads[s.Thread].PID]] += s.EnergyNJ[rule]
		}
	}
	var kinds []unlisted
	for k := range used {
		if share(used[k], all) >= noticeable {
			kinds = append(kinds, k)
		}
	}
	slices.SortFunc(kinds, func(a, b unlisted) int {
		return cmp.Or(cmp.Compare(used[b], used[a]), cmp.Compare(a.program, b.program))
	})
	for _, k := range kinds {
		lines = append(lines, printable.Percent(share(used[k], all))+" of the "+p.divided()+
			" is used by code that "+k.program+" made while it ran, which has no name: "+k.how)
	}
	return lines
}

// unlistedOf returns what each process is in such a sentence.
func (p *Profile) unlistedOf() map[int32]unlisted {
	out := map[int32]unlisted{}
	for i := range p.Threads {
		t := &p.Threads[i]
		if _, ok := out[t.PID]; !ok || t.TID == t.PID {
			out[t.PID] = unlisted{cut(t.Comm), "a perf map (/tmp/perf-PID.map) or a jitdump " +
				"would name it, where its runtime can write one"}
		}
	}
	for i := range p.Stacks {
		s := &p.Stacks[i]
		pid := p.Threads[s.Thread].PID
		for _, f := range s.Frames {
			for _, m := range makers {
				if strings.HasPrefix(p.Frames[f].Module, m.file) {
					out[pid] = unlisted{m.language, m.how}
				}
			}
		}
	}
	return out
}

// runsMade reports whether a stack ran code of no file that has no name.
func (p *Profile) runsMade(s *Stack) bool {
	for _, i := range s.Frames {
		if f := &p.Frames[i]; f.Kind != "kernel" {
			return f.unknown() && f.Name == "[anonymous]"
		}
	}
	return false
}
