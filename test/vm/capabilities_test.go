package vm

import (
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// Root needs no more than the documented capabilities to measure, govern and put everything back:
// two, and a third one to be in time on a busy machine. Debian's kernel counts nothing for them as
// it is set, which is said.
func TestCapabilities(t *testing.T) {
	const paranoid = "/proc/sys/kernel/perf_event_paranoid"
	level := read(t, paranoid)
	defer write(t, paranoid, level)
	needed := []string{"CAP_BPF", "CAP_PERFMON"}
	for _, c := range []struct {
		name, paranoid string
		capabilities   []string
		estimator      string
		warning        string // "" for none
	}{
		{"the documented ones", "2", []string{"CAP_BPF", "CAP_PERFMON", "CAP_SYS_NICE"},
			"counters", ""},
		{"without CAP_SYS_NICE", "2", needed, "counters", "decisions may come late"},
		{"as Debian is set", "3", []string{"CAP_BPF", "CAP_PERFMON", "CAP_SYS_NICE"},
			"none", "kernel.perf_event_paranoid"},
	} {
		t.Run(c.name, func(t *testing.T) {
			write(t, paranoid, c.paranoid)
			before := controls(t)
			var rep report
			var r result
			devtest.WithCapabilities(t, c.capabilities, func() {
				rep, r = run(t, memoryBound.of(medium), "--slowdown", "5%")
			})
			same(t, controls(t), before)
			t.Logf("status %d, actuator %s, settle %s, estimator %s, %v", r.code, rep.Actuator,
				rep.SettleNote, rep.Estimator, rep.Warnings)
			if r.code != 0 || rep.Actuator != "setspeed" || rep.Estimator != c.estimator ||
				rep.measured("package-0") == 0 {
				t.Errorf("not all of it was done: %+v", r)
			}
			if all := strings.Join(rep.warned(), "\n"); !strings.Contains(all, c.warning) ||
				c.warning == "" && all != "" {
				t.Errorf("warned of %q, want %q", all, c.warning)
			}
		})
	}
	for _, one := range needed {
		devtest.WithCapabilities(t, []string{one, "CAP_SYS_NICE"}, func() {
			if r := command(t, "/bin/ebb", "run", "--", "/bin/load", "a", "1"); r.code != 1 ||
				!strings.Contains(r.err, "CAP_BPF and CAP_PERFMON") {
				t.Errorf("one of the two is not enough: %+v", r)
			}
		})
	}
}
