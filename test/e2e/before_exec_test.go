package e2e

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// diesInExec writes a program that the kernel begins to load and then kills, since it asks for
// memory where none may be: its process ends by a signal, and has executed nothing.
func diesInExec(t *testing.T, path string) {
	t.Helper()
	const header, segment = 64, 56
	file := make([]byte, 4096)
	copy(file, "\x7fELF\x02\x01\x01")
	le := binary.LittleEndian
	le.PutUint16(file[16:], 2) // ET_EXEC
	le.PutUint16(file[18:], elfMachine(t))
	le.PutUint32(file[20:], 1)
	le.PutUint64(file[24:], 0x400000) // e_entry
	le.PutUint64(file[32:], header)   // e_phoff
	le.PutUint16(file[52:], header)
	le.PutUint16(file[54:], segment)
	le.PutUint16(file[56:], 1)
	le.PutUint32(file[header:], 1)                     // PT_LOAD
	le.PutUint32(file[header+4:], 5)                   // readable, executable
	le.PutUint64(file[header+16:], 0xffff800000000000) // p_vaddr: the kernel's
	le.PutUint64(file[header+32:], 4096)
	le.PutUint64(file[header+40:], 4096)
	le.PutUint64(file[header+48:], 4096)
	if err := os.WriteFile(path, file, 0o755); err != nil {
		t.Fatal(err)
	}
}

// elfMachine is e_machine of programs that this machine runs, as the test itself.
func elfMachine(t *testing.T) uint16 {
	t.Helper()
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer self.Close()
	var field [2]byte
	if _, err := self.ReadAt(field[:], 18); err != nil {
		t.Fatal(err)
	}
	return binary.LittleEndian.Uint16(field[:])
}

// TestEndsBeforeItsExec: ebb ends with a command that ends before its exec, or whose exec fails,
// says so in a sentence, and leaves the clocks as they were; also where it has one CPU only, and a
// loop that does not wait would let nothing else of ebb run.
func TestEndsBeforeItsExec(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	dir, err := os.MkdirTemp(scratch, "exec-") // which others may read
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	script, dies := filepath.Join(dir, "script"), filepath.Join(dir, "dies-in-exec")
	if err == nil {
		err = os.WriteFile(script, []byte("#!/no/such/interpreter\n"), 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	diesInExec(t, dies)
	for _, c := range []struct{ program, want string }{
		{dies, "segmentation fault"},
		{script, "no such file"},
	} {
		for _, cpus := range []string{devtest.CPUList(), ""} {
			for _, user := range []string{"root", "nobody"} {
				tree := devtest.Tree(t, devtest.Desktop)
				g := guarded{t: t, tree: tree}
				before := g.controls()
				cmd := command(t, "run", "--sysfs", tree, "--run-dir",
					filepath.Join(t.TempDir(), "run"), "--user", user, "--", c.program)
				if cpus != "" {
					path, err := exec.LookPath("taskset")
					if err != nil {
						t.Fatal(err)
					}
					cmd.Path, cmd.Args = path, append([]string{"taskset", "-c", cpus, cmd.Path},
						cmd.Args[1:]...)
				}
				r := finish(t, cmd)
				if r.code <= 0 || !strings.Contains(r.stderr, c.want) {
					t.Errorf("%s as %s on CPUs %q: status %d, want %q\n%s", c.program, user, cpus,
						r.code, c.want, r.stderr)
				}
				for name, now := range g.controls() {
					if now != before[name] {
						t.Errorf("%s is %s afterwards, was %s", name, now, before[name])
					}
				}
			}
		}
	}
}
