package calls_test

import (
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/instrumented"
)

// TestClang compares exact counts with those that programs keep of themselves, for both flags of
// Clang. The programs count functions that no compiler inlines. Before it instruments after
// inlining, Clang makes loops of recursive calls, which are no calls then; here it must not.
func TestClang(t *testing.T) {
	b := build(t)
	const clang = "clang-14" // which also compiles the BPF programs
	flags := []string{"-finstrument-functions-after-inlining", "-finstrument-functions"}
	for _, flag := range flags[:devtest.Cases(len(flags), 1)] {
		for _, c := range []struct {
			source  string
			args    []string
			options []string
		}{
			{"plain.c", []string{"20000"}, nil},
			{"plain.c", []string{"20000"}, []string{"-O0"}},
			{"threads.c", []string{"4", "4", "2000"}, nil},
			{"processes.c", []string{"fork"}, nil},
			{"jumps.c", nil, nil},
			{"signals.c", nil, nil},
			{"exceptions.cc", nil, []string{"-lstdc++"}},
		} {
			t.Run(flag+" "+c.source, func(t *testing.T) {
				program := b.by(t, clang, flag, c.source,
					append(c.options, "-fno-optimize-sibling-calls")...)
				argv := append([]string{program}, c.args...)
				k := count(t, instrumented.Settings{Records: 1}, period,
					[]string{"LD_PRELOAD=" + b.shared}, argv...)
				k.exact(t)
				k.sound(t)
				if len(k.records) == 0 {
					t.Error("there is no record")
				}
			})
		}
	}
}
