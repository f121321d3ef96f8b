package calls

import (
	"debug/elf"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/ebb-energy/ebb/internal/safefile"
)

// known is a program that calls a function 1234 times, and another one 5 times.
const known = `
__attribute__((noipa)) void first(void) {}
__attribute__((noipa)) void second(void) {}
int main(void)
{
	for (int i = 0; i < 1234; i++)
		first();
	for (int i = 0; i < 5; i++)
		second();
	return 0;
}
`

// places compiles the program and finds its functions.
func places(t *testing.T) (*os.File, []Probe) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	path := filepath.Join(t.TempDir(), "known")
	if err := os.WriteFile(path+".c", []byte(known), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip(err)
	}
	if out, err := exec.Command("gcc", "-O0", path+".c", "-o", path).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	e, err := elf.NewFile(f)
	if err != nil {
		t.Fatal(err)
	}
	list, err := e.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	text := e.Section(".text")
	out := make([]Probe, 2)
	for _, s := range list {
		for i, name := range []string{"first", "second"} {
			if s.Name == name {
				out[i] = Probe{Offset: s.Value - text.Addr + text.Offset, Function: i}
			}
		}
	}
	return f, out
}

// TestCounter: every call is counted, with breakpoints that are placed together and one by one. The
// program is nobody's target.
func TestCounter(t *testing.T) {
	f, at := places(t)
	for name, single := range map[string]bool{"together": false, "one by one": true} {
		t.Run(name, func(t *testing.T) {
			c, err := open(nil, 2, single)
			if errors.Is(err, ErrNotSupported) || errors.Is(err, ErrPermission) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if err := c.Attach(f, at); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if err := exec.Command(f.Name()).Run(); err != nil {
					t.Fatal(err)
				}
			}
			got, err := c.Read()
			if err != nil || got[0] != (Count{Others: 2468}) || got[1] != (Count{Others: 10}) {
				t.Errorf("%+v, %v", got, err)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestAttachRefuses: places and files that nothing can be counted at.
func TestAttachRefuses(t *testing.T) {
	f, at := places(t)
	c, err := Open(nil, 2)
	if errors.Is(err, ErrNotSupported) || errors.Is(err, ErrPermission) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, p := range []Probe{{}, {Offset: at[0].Offset, Function: 2},
		{Offset: at[0].Offset, Function: -1}, {Offset: 1 << 40}, {Offset: 1<<64 - 1}} {
		if err := c.Attach(f, []Probe{p}); err == nil {
			t.Errorf("%+v: attached", p)
		}
	}
	dir, err := os.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if err := c.Attach(dir, at); !errors.Is(err, safefile.ErrNotRegular) {
		t.Error(err)
	}
}
