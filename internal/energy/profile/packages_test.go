package profile

import (
	"slices"
	"strings"
	"testing"
)

// TestToName: each distribution's command and server, and those of what is made from it.
func TestToName(t *testing.T) {
	xz := Nameless{Path: "/usr/bin/xz", BuildID: "ab", Package: "xz-utils"}
	like := func(id, like, codename string) Nameless {
		n := xz
		n.Distribution, n.Like, n.Codename = id, like, codename
		return n
	}
	for _, tt := range []struct {
		n    Nameless
		want []string
	}{
		{like("debian", "", "bookworm"), []string{"sudo apt install xz-utils-dbgsym",
			"deb http://deb.debian.org/debian-debug bookworm-debug main",
			"ebb report --debug-dir /usr/lib/debug REPORT",
			"DEBUGINFOD_URLS=https://debuginfod.debian.net ebb report --debuginfod REPORT"}},
		{like("debian", "", ""), []string{"unstable-debug"}},
		{like("ubuntu", "debian", "noble"), []string{"xz-utils-dbgsym",
			"http://ddebs.ubuntu.com noble", "https://debuginfod.ubuntu.com"}},
		{like("linuxmint", "ubuntu debian", "wilma"), []string{"https://debuginfod.ubuntu.com"}},
		{like("fedora", "", ""), []string{"sudo dnf debuginfo-install $(rpm -qf /usr/bin/xz)",
			"https://debuginfod.fedoraproject.org"}},
		{like("rocky", "rhel centos fedora", ""), []string{"dnf debuginfo-install"}},
		{like("opensuse-leap", "suse opensuse", ""), []string{"zypper --plus-content debug",
			"'%{NAME}-debuginfo ' /usr/bin/xz)", "https://debuginfod.opensuse.org"}},
		{like("arch", "", ""), []string{"https://debuginfod.archlinux.org"}},
		{like("", "", ""), []string{"https://debuginfod.elfutils.org"}},
		{Nameless{Path: "/opt/p", BuildID: "ab", Distribution: "debian"},
			[]string{"find-dbgsym-packages --install /opt/p"}},
	} {
		got := strings.Join(toName([]*Nameless{&tt.n}), "\n")
		for _, part := range tt.want {
			if !strings.Contains(got, part) {
				t.Errorf("%s: %q has no %q", tt.n.Distribution, got, part)
			}
		}
	}
}

// TestPackagesOfDistributions: names and paths that distributions have are in commands.
func TestPackagesOfDistributions(t *testing.T) {
	for name, want := range map[string]string{"libstdc++6": "libstdc++6-dbgsym",
		"python3.11-minimal": "python3.11-minimal-dbgsym", "0ad": "0ad-dbgsym",
		"libc6:i386": "libc6-dbgsym:i386"} {
		n := Nameless{Path: "/x", BuildID: "ab", Distribution: "debian", Package: name}
		if got := toName([]*Nameless{&n}); !strings.Contains(got[0], "install "+want+",") {
			t.Errorf("%s: %q", name, got)
		}
	}
	for _, path := range []string{"/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30", "/opt/a-b/c_d",
		"/lib/ld-linux.so.2", "/usr/lib64/.x/p", "/usr/lib/..p"} {
		n := Nameless{Path: path, BuildID: "ab", Distribution: "fedora"}
		if got := toName([]*Nameless{&n}); !strings.Contains(got[0], path+")") {
			t.Errorf("%s: %q", path, got)
		}
	}
}

// TestCommandsAreHarmless: what a program or a report calls a file does nothing in a command that
// somebody copies.
func TestCommandsAreHarmless(t *testing.T) {
	for _, bad := range []string{"/tmp/$(reboot)", "/tmp/a;reboot", "/tmp/a b", "-rf", "/tmp/`id`",
		"/tmp/\nid", "/tmp/'", "a\"b", "/tmp/p", "/home/u/bin/p", "usr/bin/p", "/usr/../tmp/p",
		"/usr/bin/..", "/usr/./bin/p", "/usr//bin/p", "/usr/bin/p/", "/usr", "/usrx/p",
		"/opt/p.rpm", "/opt/a/p.DEB", "/usr/lib/p.deb",
		"./p.deb", "p/bookworm", "p=1.0", "P", "p_1", "-p", "p*",
		"p^", "p:", "p:any/x", "p:-", "/usr/bin/p\n", "p\n", "/usr/" + strings.Repeat("p", 4096),
		strings.Repeat("p", 4096)} {
		for _, id := range []string{"debian", "fedora", "opensuse", "arch", ""} {
			n := Nameless{Path: bad, BuildID: "ab", Distribution: id, Package: bad}
			none := Nameless{BuildID: "ab", Distribution: id}
			got, want := toName([]*Nameless{&n}), toName([]*Nameless{&none})
			if !slices.Equal(got, want) {
				t.Errorf("%q of %s is in %q", bad, id, got)
			}
			n = Nameless{Path: "/usr/bin/xz", BuildID: "ab", Distribution: id, Codename: bad}
			for _, line := range toName([]*Nameless{&n}) {
				if strings.Contains(line, "sources") && bad != "p" {
					t.Errorf("%q of %s is in %q", bad, id, line)
				}
			}
		}
	}
}
