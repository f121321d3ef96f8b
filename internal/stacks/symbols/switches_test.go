package symbols

import (
	"slices"
	"strings"
	"testing"
)

func TestSwitchesOf(t *testing.T) {
	for line, want := range map[string]string{
		"node --perf-basic-prof n.js":                    "--perf-basic-prof",
		"node --perf_basic_prof_only_functions":          "--perf-basic-prof",
		"node -r m --perf-prof --perf-prof n.js":         "--perf-prof",
		"node --interpreted-frames-native-stack -e 0":    "--interpreted-frames-native-stack",
		"node n.js --perf-basic-prof":                    "", // the script's own
		"node --perf-basic-profile n.js":                 "",
		"python3 -X perf py.py":                          "-X perf",
		"python3 -B -W error -Xperf_jit -X dev -c pass":  "-X perf_jit",
		"python3 -c pass -X perf":                        "",
		"python3 py.py -X perf":                          "",
		"python3 -X":                                     "",
		"--perf-basic-prof":                              "",
		"":                                               "",
		"python3 -X perf -X perf_jit -- --perf-prof a b": "-X perf,-X perf_jit",
	} {
		got := strings.Join(switchesOf(strings.ReplaceAll(line, " ", "\x00")+"\x00"), ",")
		if got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

func FuzzSwitches(f *testing.F) {
	f.Add("python3\x00-X\x00perf\x00-W\x00")
	f.Add("node\x00--perf-prof\x00--require\x00")
	f.Fuzz(func(t *testing.T, line string) {
		known := []string{"-X perf", "-X perf_jit", "--perf-basic-prof", "--perf-prof",
			"--interpreted-frames-native-stack"}
		for _, s := range switchesOf(line) {
			if !slices.Contains(known, s) {
				t.Errorf("%q", s)
			}
		}
	})
}
