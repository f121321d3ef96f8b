package inventory

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/ebb-energy/ebb/internal/linux/sysfs"
)

// loaded is an attribute of a driver that may have been loaded anew since.
type loaded struct {
	sysfs.File
	of  int
	now *int
}

func (l *loaded) Pread(p []byte, off int64) (int, error) {
	if l.of != *l.now {
		return 0, syscall.ENODEV
	}
	return l.File.Pread(p, off)
}

// TestSensorComesBack: a sensor whose driver is unloaded and loaded, and has another number then,
// is read on; one of the same number and another chip is not taken for it.
func TestSensorComesBack(t *testing.T) {
	root, now := t.TempDir(), 0
	put := func(path, text string) {
		path = filepath.Join(root, "class/hwmon", path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("hwmon3/name", "ina226")
	put("hwmon3/power1_input", "7000000")
	fs, err := sysfs.OpenIntercepted(root, func(_ string, f sysfs.File) sysfs.File {
		return &loaded{f, now, &now}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer fs.Close()
	m, err := Open(fs, "ina226")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = m.Close() }()
	if w, err := m.Read(); w != 7 || err != nil {
		t.Fatalf("%v W, %v", w, err)
	}
	now++ // it is unloaded, and another chip has its number
	put("hwmon3/name", "coretemp")
	if w, err := m.Read(); err == nil {
		t.Errorf("%v W of another chip", w)
	}
	now++
	put("hwmon5/name", "ina226")
	put("hwmon5/power1_input", "9000000")
	if w, err := m.Read(); w != 9 || err != nil {
		t.Errorf("%v W, %v; want 9", w, err)
	}
}
