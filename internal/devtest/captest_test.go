package devtest

import (
	"os"
	"os/exec"
	"regexp"
	"testing"

	"golang.org/x/sys/unix"
)

// TestNames: the table ends where the kernel's constants do.
func TestNames(t *testing.T) {
	if len(names) != unix.CAP_LAST_CAP+1 || names[unix.CAP_BPF] != "CAP_BPF" ||
		names[unix.CAP_SYS_NICE] != "CAP_SYS_NICE" || names[unix.CAP_KILL] != "CAP_KILL" {
		t.Errorf("%d names, the last capability is %d", len(names), unix.CAP_LAST_CAP)
	}
}

// TestWithCapabilities: a command has the capabilities that were left, and a later one all of them
// again.
func TestWithCapabilities(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	effective := func() string {
		out, err := exec.CommandContext(t.Context(), "cat", "/proc/self/status").Output()
		if err != nil {
			t.Error(err)
		}
		return string(regexp.MustCompile(`CapEff:\s*\w+`).Find(out))
	}
	before, within := effective(), ""
	WithCapabilities(t, []string{"CAP_KILL", "CAP_SETUID"}, func() { within = effective() })
	if want := "CapEff:\t00000000000000a0"; within != want {
		t.Errorf("%q, not %q", within, want)
	}
	if after := effective(); after != before {
		t.Errorf("afterwards %q, before %q", after, before)
	}
}
