package profile

import (
	"strings"
	"testing"
)

// TestMadeWithoutNames: code that a program made while it ran and nothing names has a line that
// says what would name it, and code that another line is about has none.
func TestMadeWithoutNames(t *testing.T) {
	frames := []Frame{{Name: "[anonymous]", Kind: "unresolved"},
		{Name: "process_main", Kind: "native", Module: "beam.smp"},
		{Name: "zend_execute", Kind: "native", Module: "php8.2"},
		{Name: "schedule", Kind: "kernel", Module: "[kernel]"},
		{Name: "Builtins_JSEntryTrampoline", Kind: "native", Module: "node"},
		{Name: "[unknown]", Kind: "unresolved"}, {Name: "main", Kind: "native", Module: "luajit"},
		{Name: "$lists:map/2", Kind: "jit"},
		{Name: "mono_main", Kind: "native", Module: "mono-sgen"}}
	for name, c := range map[string]struct {
		stacks [][]int
		want   string
	}{
		"Erlang":        {[][]int{{0}, {1}}, "50.0 % of the energy is used by code that Erlang"},
		"its switch":    {[][]int{{0}, {1}}, "erl +JPperf true"},
		"PHP":           {[][]int{{3, 0}, {2}}, "opcache.jit_debug=16"},
		"Mono":          {[][]int{{0, 8}}, "which has no name: mono --jitmap"},
		"another":       {[][]int{{0, 6}}, "code that luajit made while it ran, which has no"},
		"Node.js":       {[][]int{{0, 4}}, "100.0 % of the energy is used by functions of Node.js"},
		"a walk astray": {[][]int{{5}}, ""},
		"a callee":      {[][]int{{6, 0}}, ""},
		"little":        {append([][]int{{0}}, many(200, []int{6})...), ""},
		"named":         {[][]int{{7, 1}}, ""},
	} {
		p := Profile{Rules: []string{"ledger"}, Frames: frames,
			Threads: []Thread{{PID: 5, TID: 6, Comm: "erts_sched_1"},
				{PID: 5, TID: 5, Comm: "luajit"}}}
		for _, frames := range c.stacks {
			p.Stacks = append(p.Stacks, Stack{Frames: frames, EnergyNJ: []int64{100}})
		}
		got := p.WithoutNames(0)
		if strings.Join(got, "\n") == "" != (c.want == "") || len(got) > 1 ||
			c.want != "" && !strings.Contains(got[0], c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// many returns a stack so many times.
func many(n int, stack []int) (out [][]int) {
	for range n {
		out = append(out, stack)
	}
	return out
}
