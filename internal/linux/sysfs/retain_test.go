package sysfs_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
)

// TestRetain checks that a retained attribute is read and written without its name, and that one
// that is not retained is found by its name.
func TestRetain(t *testing.T) {
	root := devtest.Tree(t, tree)
	const limit, driver = "devices/system/cpu/cpufreq/policy0/scaling_max_freq",
		"devices/system/cpu/cpufreq/policy0/scaling_driver"
	fs := open(t, root)
	fs.Retain([]string{limit, "missing"})
	if err := os.Rename(filepath.Join(root, limit), filepath.Join(root, "away")+"2"); err != nil {
		t.Fatal(err)
	}
	if err := fs.Write(limit, "2000000"); err != nil {
		t.Error(err)
	}
	if got, err := fs.Read(limit); err != nil || got != "2000000" {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := fs.Read(driver); err != nil || got != "acpi-cpufreq" {
		t.Errorf("%q, %v", got, err)
	}
}

// absent is the file of a device that has gone.
type absent struct{ sysfs.File }

func (absent) Pread([]byte, int64) (int, error) { return 0, syscall.ENODEV }

// TestRetainOfADeviceThatCameBack checks that the file of a device that has gone is not used when
// the device is there again.
func TestRetainOfADeviceThatCameBack(t *testing.T) {
	const limit = "devices/system/cpu/cpufreq/policy0/scaling_max_freq"
	opened := 0
	fs, err := sysfs.OpenIntercepted(devtest.Tree(t, tree),
		func(_ string, f sysfs.File) sysfs.File {
			if opened++; opened == 1 {
				return absent{f}
			}
			return f
		})
	if err != nil {
		t.Fatal(err)
	}
	defer fs.Close()
	fs.Retain([]string{limit})
	if got, err := fs.Read(limit); err != nil || got != "3000000" || opened != 2 {
		t.Errorf("%q, %v, opened %d times", got, err, opened)
	}
}
