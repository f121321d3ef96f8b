package usdt

import (
	"debug/elf"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// reference finds the collector's probes with debug/elf, which is for files one trusts.
func reference(t *testing.T, path string) (c Collector) {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	section := f.Section(notesName)
	if section == nil {
		return c
	}
	data, err := section.Data()
	if err != nil {
		t.Fatal(err)
	}
	err = eachProbe(data, func(p probe) error {
		at := p.location
		if base := f.Section(baseName); base != nil {
			at += base.Addr - p.base
		}
		for _, s := range f.Progs {
			if s.Type != elf.PT_LOAD || at < s.Vaddr || at-s.Vaddr >= s.Filesz ||
				string(p.provider) != jvmProvider {
				continue
			}
			switch string(p.name) {
			case jvmBegins:
				c.Begins = append(c.Begins, at-s.Vaddr+s.Off)
			case jvmEnds:
				c.Ends = append(c.Ends, at-s.Vaddr+s.Off)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestAgreesWithReference: on the runtimes of this machine, and on an image of the tests, the
// probes are those that debug/elf leads to, and each is a nop.
func TestAgreesWithReference(t *testing.T) {
	files, err := filepath.Glob("/usr/lib/jvm/*/lib/server/libjvm.so")
	if err != nil {
		t.Fatal(err)
	}
	image := filepath.Join(t.TempDir(), JVMLibrary)
	if err := os.WriteFile(image,
		devtest.JVMRuntime([]byte("\x90\x90"), devtest.USDTCodeAt, devtest.USDTCodeAt+1),
		0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range append(files, image) {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			t.Fatal(err)
		}
		got, err := FindCollector(f, info.Size())
		want := reference(t, path)
		if err != nil || !slices.Equal(got.Begins, want.Begins) ||
			!slices.Equal(got.Ends, want.Ends) || len(want.Begins) == 0 {
			t.Errorf("%s: %+v, %v, want %+v", path, got, err, want)
		}
		for _, place := range slices.Concat(got.Begins, got.Ends) {
			b := make([]byte, 1)
			if _, err := f.ReadAt(b, int64(place)); err != nil || b[0] != 0x90 {
				t.Errorf("%s: %x at %#x, %v", path, b, place, err)
			}
		}
	}
}
