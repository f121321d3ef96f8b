package cgroup_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/linux/cgroup"
)

// TestUnits: what systemd answers about its units' files. There are none where it is not the
// machine's init, and an error where it is and does not answer.
func TestUnits(t *testing.T) {
	for _, c := range []struct{ name, script, want, says string }{
		{"none", "", "[]", ""},
		{"not booted", "echo no bus >&2; exit 1", "[]", ""},
		{"booted", "echo no bus >&2; exit 1", "[]", "systemctl show: no bus"},
		{"some", `cat <<'X'
LoadState=loaded
FragmentPath=/lib/systemd/system/a.service
DropInPaths=/etc/systemd/system/a.service.d/1.conf "/run/x y\"z.conf" /run/b.conf
Id=a.service

Id=drop.slice
LoadState=loaded
FragmentPath=
DropInPaths=/etc/systemd/system/drop.slice.d/1.conf

Id=nothing.slice
LoadState=loaded
FragmentPath=
DropInPaths=

Id=masked.service
LoadState=masked
FragmentPath=/etc/systemd/system/masked.service

Id=gone.service
LoadState=not-found
X`, `[{a.service [/lib/systemd/system/a.service /etc/systemd/system/a.service.d/1.conf ` +
			`/run/x y"z.conf /run/b.conf]} {drop.slice [/etc/systemd/system/drop.slice.d/1.conf]}]`,
			""},
		{"an open quote", "printf 'Id=a.service\\nLoadState=loaded\\nDropInPaths=\"/x\\n'", "[]",
			"a.service"},
	} {
		fakeSystemd(t, `case "$*" in *"--all"*"*.service"*) ;; *) exit 9;; esac`+"\n"+c.script)
		cgroup.Booted(t, c.name != "not booted")
		all, err := cgroup.Units()
		if got := fmt.Sprint(all); got != c.want || (err == nil) != (c.says == "") ||
			err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %s, %v; want %s", c.name, got, err, c.want)
		}
	}
}
