package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// TestTenantsMeterStandsStill: a meter that nobody can believe is a warning of a run with tenants,
// as of one with a program.
func TestTenantsMeterStandsStill(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	dir, root := devtest.Cgroup(t), meterTree(t)
	show(t, meterZone(t, root, "intel-rapl:0", "package-0", 262143328850), 1000)
	inCgroup(t, dir, spin...)
	r := ebb(t, "run", "-v", "--sysfs", root, "--duration", "500ms", "--tenants",
		tenantsFile(t, fmt.Sprintf("[tenant.a]\ncgroup = %q\n", dir)))
	if r.code != 0 || !strings.Contains(unbroken(r.stderr), "package-0 stands still") {
		t.Errorf("status %d: %s", r.code, r.stderr)
	}
}
