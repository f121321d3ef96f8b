package rapl

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ebb-energy/ebb/internal/linux/sysfs"
)

// FuzzOfPackage: a name that is taken is written again as it was, but for leading zeros and a first
// die.
func FuzzOfPackage(f *testing.F) {
	for _, s := range []string{"package-0", "package-1-die-2", "package-", "psys", "package-1-die-",
		"package--1", "package-65536"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		var z, again Zone
		if !z.ofPackage(name) {
			return
		}
		if !again.ofPackage(z.Name()) || again != z {
			t.Errorf("%q is read as %q, which is read as %q", name, z.Name(), again.Name())
		}
	})
}

// FuzzEvent: whatever the files say, an event has a scale that energies come out of.
func FuzzEvent(f *testing.F) {
	f.Add("event=0x02\n", "2.3283064365386962890625e-10\n", "Joules\n")
	f.Add("event=0x02,umask=1", "-1", "Watts")
	f.Fuzz(func(t *testing.T, event, scale, unit string) {
		dir := t.TempDir()
		path := filepath.Join(dir, powerDir, "events")
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
		for suffix, text := range map[string]string{"": event, ".scale": scale, ".unit": unit} {
			if err := os.WriteFile(filepath.Join(path, "energy-pkg"+suffix), []byte(text),
				0o644); err != nil {
				t.Fatal(err)
			}
		}
		fs, err := sysfs.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer fs.Close()
		if e, err := readEvent(fs, "energy-pkg"); err == nil &&
			!(inNanojoules(1<<40, e.scale) >= 0) {
			t.Errorf("scale %v", e.scale)
		}
	})
}
