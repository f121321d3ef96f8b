package printable

import (
	"slices"
	"strings"
)

// Narrow shortens names to most characters each. Those that would come out alike lose another part
// than names usually do: their begin, or their middle, as more of them remain apart.
func Narrow(names []string, most int) []string {
	out := make([]string, len(names))
	alike := map[string][]int{}
	for i, n := range names {
		out[i] = narrow(n, most)
		alike[out[i]] = append(alike[out[i]], i)
	}
	for _, group := range alike {
		kinds := map[string]bool{}
		for _, i := range group {
			kinds[names[i]] = true
		}
		best := 1
		for _, shape := range []func(string, int) string{withoutMiddle, withoutBegin} {
			cut, distinct := make([]string, len(group)), map[string]bool{}
			for k, i := range group {
				cut[k] = shape(names[i], most)
				distinct[cut[k]] = true
			}
			if len(distinct) <= best || len(kinds) == 1 {
				continue
			}
			best = len(distinct)
			for k, i := range group {
				out[i] = cut[k]
			}
		}
	}
	return out
}

// narrow shortens a name to most characters. Of a name in a package or a directory it keeps the
// end, which distinguishes it from its neighbours there. Names of C++ and names with arguments lose
// their end.
func narrow(name string, most int) string {
	if strings.ContainsAny(name, " (:") || !strings.ContainsAny(name, "./") {
		return Cut(name, most)
	}
	return withoutBegin(name, most)
}

func withoutBegin(name string, most int) string {
	r := []rune(name)
	if len(r) <= most {
		return name
	}
	return "…" + string(r[len(r)-max(most-1, 0):])
}

func withoutMiddle(name string, most int) string {
	r := []rune(name)
	if len(r) <= most || most < 3 {
		return Cut(name, most)
	}
	begin := most / 2
	return string(slices.Concat(r[:begin], []rune("…"), r[len(r)-(most-1-begin):]))
}
