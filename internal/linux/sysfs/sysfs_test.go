package sysfs_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
)

const tree = `
dir devices/system/cpu/cpufreq/policy10
dir devices/system/cpu/cpufreq/policy2
file 0644 devices/system/cpu/cpufreq/policy0/scaling_max_freq
	3000000
file 0444 devices/system/cpu/cpufreq/policy0/scaling_driver
	acpi-cpufreq
file 0444 empty
file 0444 two
	1
	2
link devices/system/cpu/cpu0/cpufreq ../cpufreq/policy0
link away /etc/hostname
link up ../../outside
link devices/system/cpu/out ../../../../outside
`

func open(t *testing.T, root string) *sysfs.FS {
	t.Helper()
	fs, err := sysfs.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { fs.Close() })
	return fs
}

func TestRead(t *testing.T) {
	root := devtest.Tree(t, tree)
	if err := os.WriteFile(filepath.Join(root, "large"), []byte(strings.Repeat("x", 70<<10)),
		0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "page"), []byte(strings.Repeat("y", 9000)),
		0o644); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(root, "fifo"), 0o644); err != nil {
		t.Fatal(err)
	}
	fs := open(t, root)
	for _, c := range []struct {
		path, want string
		kind       error
	}{
		{path: "devices/system/cpu/cpufreq/policy0/scaling_driver", want: "acpi-cpufreq"},
		// sysfs's own relative link
		{path: "devices/system/cpu/cpu0/cpufreq/scaling_driver", want: "acpi-cpufreq"},
		{path: "empty", want: ""},
		{path: "two", want: "1\n2"},
		{path: "page", want: strings.Repeat("y", 9000)},
		{path: "none", kind: sysfs.ErrAbsent},
		{path: "empty/none", kind: sysfs.ErrAbsent},
		{path: "devices", kind: sysfs.ErrMalformed}, // a directory
		{path: "fifo", kind: sysfs.ErrMalformed},    // and no waiting for its writer
		{path: "large", kind: sysfs.ErrMalformed},
		{path: "away", kind: sysfs.ErrRefused},
		{path: "up", kind: sysfs.ErrRefused},
		{path: "devices/system/cpu/out", kind: sysfs.ErrRefused},
		{path: "../outside", kind: sysfs.ErrRefused},
		{path: "/etc/hostname", kind: sysfs.ErrRefused},
	} {
		got, err := fs.Read(c.path)
		if got != c.want || !is(err, c.kind) {
			t.Errorf("Read(%s) = %.20q, %v; want %.20q, %v", c.path, got, err, c.want, c.kind)
		}
	}
}

// is reports whether err is of this kind and of no other.
func is(err, kind error) bool {
	for _, k := range []error{sysfs.ErrAbsent, sysfs.ErrRefused, sysfs.ErrMalformed} {
		if errors.Is(err, k) != (k == kind) {
			return false
		}
	}
	return (err == nil) == (kind == nil)
}

func TestReadStart(t *testing.T) {
	fs := open(t, devtest.Tree(t, tree))
	if got, err := fs.ReadStart("two", 3); got != "1\n2" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestReadInt(t *testing.T) {
	fs := open(t, devtest.Tree(t,
		"file 0444 ok\n\t-5\nfile 0444 word\n\t<unsupported>\nfile 0444 empty\n"+
			"file 0444 huge\n\t99999999999999999999\n"))
	if v, err := fs.ReadInt("ok"); v != -5 || err != nil {
		t.Errorf("got %d, %v", v, err)
	}
	for _, path := range []string{"word", "empty", "huge"} {
		if v, err := fs.ReadInt(path); !is(err, sysfs.ErrMalformed) {
			t.Errorf("ReadInt(%s) = %d, %v", path, v, err)
		}
	}
}

func TestNamesAreInNaturalOrder(t *testing.T) {
	fs := open(t, devtest.Tree(t, tree))
	got, err := fs.Names("devices/system/cpu/cpufreq")
	if want := []string{"policy0", "policy2", "policy10"}; err != nil ||
		!reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	if _, err := fs.Names("none"); !is(err, sysfs.ErrAbsent) {
		t.Errorf("a missing directory: %v", err)
	}
}

// canned answers every operation in one way.
type canned struct {
	n   int
	err error
}

func (s canned) Pread(p []byte, off int64) (int, error)  { return min(s.n, len(p)), s.err }
func (s canned) Pwrite(p []byte, off int64) (int, error) { return min(s.n, len(p)), s.err }
func (s canned) Close() error                            { return nil }

func TestErrorsTellApart(t *testing.T) {
	root := devtest.Tree(t, tree)
	for _, c := range []struct {
		answer canned
		kind   error
	}{
		{canned{err: syscall.EPERM}, sysfs.ErrRefused},
		{canned{err: syscall.EACCES}, sysfs.ErrRefused},
		{canned{err: syscall.EBUSY}, sysfs.ErrRefused},
		{canned{err: syscall.EINVAL}, sysfs.ErrRefused},
		{canned{err: syscall.EIO}, sysfs.ErrRefused},
		{canned{err: syscall.EAGAIN}, sysfs.ErrRefused},
		{canned{err: syscall.EFBIG}, sysfs.ErrRefused},
		{canned{err: syscall.ENODEV}, sysfs.ErrAbsent},
		{canned{err: syscall.ENXIO}, sysfs.ErrAbsent},
		{canned{n: 1}, sysfs.ErrRefused}, // a short write
	} {
		fs, err := sysfs.OpenIntercepted(root,
			func(string, sysfs.File) sysfs.File { return c.answer })
		if err != nil {
			t.Fatal(err)
		}
		const path = "devices/system/cpu/cpufreq/policy0/scaling_max_freq"
		err = fs.Write(path, "12")
		if !is(err, c.kind) || c.answer.err != nil && !errors.Is(err, c.answer.err) {
			t.Errorf("Write with %+v: %v; want %v", c.answer, err, c.kind)
		}
		if _, err := fs.Read(path); c.answer.err != nil && !is(err, c.kind) {
			t.Errorf("Read with %+v: %v; want %v", c.answer, err, c.kind)
		}
		if n := strings.Count(err.Error(), path); n != 1 {
			t.Errorf("%q has the path %d times", err, n)
		}
		fs.Close()
	}
}

// TestRealTree only reads the real tree, so it needs no privilege.
func TestRealTree(t *testing.T) {
	fs, err := sysfs.Open("/sys")
	if errors.Is(err, sysfs.ErrAbsent) {
		t.Skip("no /sys")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer fs.Close()
	online, err := fs.Read("devices/system/cpu/online")
	if err != nil || online == "" {
		t.Errorf("got %q, %v", online, err)
	}
	if err := fs.Writable("devices/system/cpu/no_such_attribute"); !is(err, sysfs.ErrAbsent) {
		t.Error(err)
	}
}
