package inventory

import (
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestOwners: a file is found by its path with /usr and without, by its whole path alone, and in no
// other kind of file.
func TestOwners(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"xz-utils.list":                        "/.\n/usr/bin\n/usr/bin/xz\n",
		"liblzma5:" + runtime.GOARCH + ".list": "/lib/x/liblzma.so.5.4.1\n",
		"libother:riscv64.list":                "/usr/lib/y/libother.so.1",
		"xz-utils.md5sums":                     "/usr/bin/other\n",
		"empty.list":                           "",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got := PackageOwners(dir, []string{"/usr/bin/xz", "/usr/lib/x/liblzma.so.5.4.1",
		"/lib/y/libother.so.1", "/usr/bin/other", "/usr/bin/x", "bin/xz", ""})
	want := map[string]string{"/usr/bin/xz": "xz-utils",
		"/usr/lib/x/liblzma.so.5.4.1": "liblzma5", "/lib/y/libother.so.1": "libother:riscv64"}
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := PackageOwners(filepath.Join(dir, "none"), []string{"/usr/bin/xz"}); len(got) > 0 {
		t.Errorf("%v", got)
	}
}

// FuzzOwners reads any list.
func FuzzOwners(f *testing.F) {
	f.Add([]byte("/usr/bin/xz\n\n/\x00"), "/usr/bin/xz")
	f.Add([]byte("/bin/xz"), "/usr/bin/xz")
	f.Fuzz(func(t *testing.T, text []byte, path string) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "p.list"), text, 0o644); err != nil {
			t.Fatal(err)
		}
		for p, owner := range PackageOwners(dir, []string{path}) {
			if p != path || owner != "p" {
				t.Errorf("%q is of %q", p, owner)
			}
		}
	})
}
