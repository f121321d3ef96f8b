package e2e

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cilium/ebpf"
)

// nothingLeft fails the test when, at its end, a BPF program or map of ebb's is loaded that was not
// before, or there is a file of ebb's in /run or /tmp that was not there before.
func nothingLeft(t *testing.T) {
	t.Helper()
	names := objectNames(t)
	programsBefore, mapsBefore, filesBefore := programs(t, names), maps(t, names), files(t)
	t.Cleanup(func() {
		left := func() (what []string) {
			held := heldByOthers(t)
			for id, name := range programs(t, names) {
				if _, ok := programsBefore[id]; !ok && !held[fmt.Sprintf("prog_id:\t%d", id)] {
					what = append(what, "program "+name)
				}
			}
			for id, name := range maps(t, names) {
				if _, ok := mapsBefore[id]; !ok && !held[fmt.Sprintf("map_id:\t%d", id)] {
					what = append(what, "map "+name)
				}
			}
			return what
		}
		// The kernel frees programs a moment after their last user has gone. A leak stays for ever.
		for i := 0; len(left()) > 0; i++ {
			if i == 150 {
				t.Errorf("still loaded 30 s later: %s", strings.Join(left(), ", "))
				return
			}
			time.Sleep(200 * time.Millisecond)
		}
		for _, f := range files(t) {
			if !slices.Contains(filesBefore, f) {
				t.Errorf("left behind: %s", f)
			}
		}
	})
}

// heldByOthers are the programs and maps that a living process other than these tests' ebb has a
// descriptor of, such as another package's tests that run at the same time, as their fdinfo names
// them.
func heldByOthers(t *testing.T) map[string]bool {
	t.Helper()
	held := map[string]bool{}
	processes, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range processes {
		if exe, err := os.Readlink(dir + "/exe"); err != nil || strings.HasPrefix(exe, scratch) {
			continue
		}
		infos, err := filepath.Glob(dir + "/fdinfo/*")
		if err != nil {
			t.Fatal(err)
		}
		for _, info := range infos {
			b, err := os.ReadFile(info)
			if err != nil {
				continue // closed meanwhile
			}
			for line := range strings.Lines(string(b)) {
				if strings.HasPrefix(line, "prog_id:") || strings.HasPrefix(line, "map_id:") {
					held[strings.TrimSpace(line)] = true
				}
			}
		}
	}
	return held
}

// objectNames are the names of ebb's programs and maps as the kernel shows them, from the committed
// objects.
func objectNames(t *testing.T) map[string]bool {
	t.Helper()
	objects, err := filepath.Glob("../../epochs/bpf/*_bpfel.o")
	if err != nil || len(objects) == 0 {
		t.Fatalf("no BPF objects in epochs/bpf: %v", err)
	}
	more, err := filepath.Glob("../../internal/energy/*/*_bpfel.o")
	if err != nil {
		t.Fatal(err)
	}
	objects = append(objects, more...)
	names := map[string]bool{}
	for _, path := range objects {
		spec, err := ebpf.LoadCollectionSpec(path)
		if err != nil {
			t.Fatal(err)
		}
		for name := range spec.Programs {
			names[kernelName(name)] = true
		}
		for name := range spec.Maps {
			if !strings.HasPrefix(name, ".") { // .rodata and .bss are everybody's
				names[kernelName(name)] = true
			}
		}
	}
	return names
}

// kernelName is what fits into the kernel's 16 bytes.
func kernelName(name string) string { return name[:min(len(name), 15)] }

func programs(t *testing.T, names map[string]bool) map[ebpf.ProgramID]string {
	t.Helper()
	found := map[ebpf.ProgramID]string{}
	for id := ebpf.ProgramID(0); ; {
		next, err := ebpf.ProgramGetNextID(id)
		if errors.Is(err, os.ErrNotExist) {
			return found
		} else if err != nil {
			t.Fatalf("list BPF programs: %v", err)
		}
		id = next
		p, err := ebpf.NewProgramFromID(id)
		if err != nil {
			continue // gone meanwhile
		}
		if info, err := p.Info(); err == nil && names[info.Name] {
			found[id] = info.Name
		}
		p.Close()
	}
}

func maps(t *testing.T, names map[string]bool) map[ebpf.MapID]string {
	t.Helper()
	found := map[ebpf.MapID]string{}
	for id := ebpf.MapID(0); ; {
		next, err := ebpf.MapGetNextID(id)
		if errors.Is(err, os.ErrNotExist) {
			return found
		} else if err != nil {
			t.Fatalf("list BPF maps: %v", err)
		}
		id = next
		m, err := ebpf.NewMapFromID(id)
		if err != nil {
			continue
		}
		if info, err := m.Info(); err == nil && names[info.Name] {
			found[id] = info.Name
		}
		m.Close()
	}
}

// files are ebb's files outside the directory of a test.
func files(t *testing.T) []string {
	t.Helper()
	var found []string
	for _, pattern := range []string{"/run/*ebb*", "/run/*ebb*/*", "/var/tmp/*ebb*",
		filepath.Join(os.TempDir(), "*ebb*"), "/sys/fs/bpf/*"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, names...)
	}
	// Other tests' directories come and go.
	return slices.DeleteFunc(found, func(f string) bool {
		info, err := os.Stat(f)
		return errors.Is(err, fs.ErrNotExist) ||
			err == nil && info.IsDir() && strings.HasPrefix(f, os.TempDir())
	})
}

// onlyFiles fails unless dir holds exactly these files.
func onlyFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("files in the working directory: %q, want %q", got, want)
	}
}
