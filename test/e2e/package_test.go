package e2e

import (
	"archive/tar"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// packageIn makes the Debian package of a tree, with the programs that the tests have built.
func packageIn(t *testing.T, tree, mask string) string {
	t.Helper()
	if _, err := buildLab(); err != nil {
		t.Fatal(err)
	}
	// Compressing takes longer than all the rest, and shows nothing here.
	cmd := exec.Command("sh", "-c", "umask "+mask+` && exec "$@"`, "sh", "tools/deb.sh",
		runtime.GOARCH, filepath.Dir(ebbPath(t)), t.TempDir())
	cmd.Dir = tree
	cmd.Env = append(os.Environ(), "SOURCE_DATE_EPOCH=1700000000", "COMPRESSION=none",
		"TMPDIR="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return strings.TrimSpace(string(out))
}

// packaged are paths that the package has, by what they are for.
var packaged = []string{"usr/bin/ebb", "usr/bin/ebb-lab", "usr/lib/systemd/system/ebb.service",
	"usr/lib/systemd/system/ebb-restore.path", "usr/lib/systemd/system/ebb-restore.service",
	"usr/lib/systemd/system/ebb-unit@.service", "usr/share/man/man1/ebb-serve.1.gz",
	"usr/share/bash-completion/completions/ebb", "usr/share/zsh/site-functions/_ebb",
	"usr/share/fish/vendor_completions.d/ebb.fish", "etc/ebb/ebb.toml", "etc/ebb/ebb.env",
	"etc/ebb/tenants.d", "usr/share/doc/ebb/docs/service.md", "usr/share/doc/ebb/copyright",
	"usr/share/doc/ebb/examples/tenants.toml", "usr/share/ebb/prometheus/ebb.rules.yml",
	"usr/share/ebb/grafana/ebb.json", "usr/share/ebb/ebb.openapi.json"}

// TestPackage: the Debian package has what it should, as root's and writable by nobody else, names
// the version that the program has, and has the same bytes when another user makes it elsewhere.
func TestPackage(t *testing.T) {
	besideOthers(t)
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		t.Skip("needs dpkg-deb")
	}
	tree := t.TempDir()
	copied := exec.Command("cp", "-r", "--parents", "VERSION", "LICENSE", "LICENSES", "NOTICE",
		"README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs",
		"tools", "internal/app/config", "test/README.md", "test/vm/README.md", "hpc/README.md",
		"rapl/cpuenergy/doc.go", tree)
	copied.Dir = "../.."
	if out, err := copied.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	deb := packageIn(t, tree, "022")
	moved := tree + "-elsewhere"
	if err := os.Rename(tree, moved); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(moved) })
	if out, err := exec.Command("chmod", "-R", "go=", moved).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if first, second := read(t, deb), read(t, packageIn(t, moved, "077")); first != second {
		t.Errorf("made twice, %d and %d bytes differ", len(first), len(second))
	}

	content := func(what, kind string) *tar.Reader {
		t.Helper()
		out, err := exec.Command("dpkg-deb", kind, deb).Output()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		return tar.NewReader(bytes.NewReader(out))
	}
	have, units := map[string]bool{}, 0
	for in := content("files", "--fsys-tarfile"); ; {
		h, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		name := strings.Trim(strings.TrimPrefix(h.Name, "."), "/")
		have[name] = true
		want := int64(0o644)
		if h.Typeflag == tar.TypeDir || strings.HasPrefix(name, "usr/bin/") {
			want = 0o755
		}
		if h.Mode&0o7777 != want || h.Uid != 0 || h.Gid != 0 || h.ModTime.Unix() > 1700000000 ||
			h.Typeflag != tar.TypeDir && h.Typeflag != tar.TypeReg {
			t.Errorf("%s: mode %o, user %d, group %d, %v", name, h.Mode, h.Uid, h.Gid, h.ModTime)
		}
		if strings.HasPrefix(name, "usr/lib/systemd/") && h.Typeflag == tar.TypeReg {
			text, err := io.ReadAll(in)
			if err != nil || bytes.Contains(text, []byte("/usr/local")) {
				t.Errorf("%s names /usr/local, or %v", name, err)
			}
			units++
		}
	}
	for _, name := range packaged {
		if !have[name] {
			t.Errorf("there is no %s", name)
		}
	}
	if units != 5 {
		t.Errorf("%d units", units)
	}
	field, err := exec.Command("dpkg-deb", "--show", "--showformat=${Version} ${Architecture}",
		deb).Output()
	version, _, _ := strings.Cut(string(field), " ")
	said := ebb(t, "version").stdout
	rest, is := strings.CutPrefix(said, "ebb "+version)
	if err != nil || !is || !strings.HasPrefix(rest, " ") && !strings.HasPrefix(rest, "+") {
		t.Errorf("a package %s of %s: %v", field, said, err)
	}
	control := t.TempDir()
	if out, err := exec.Command("dpkg-deb", "--control", deb,
		control).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got := read(t, control+"/conffiles"); got != "/etc/ebb/ebb.env\n/etc/ebb/ebb.toml\n" {
		t.Errorf("configuration files: %q", got)
	}
	for _, script := range []string{"preinst", "postinst", "prerm", "postrm"} {
		if out, err := exec.Command("sh", "-n", filepath.Join(control,
			script)).CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", script, err, out)
		}
	}
}
