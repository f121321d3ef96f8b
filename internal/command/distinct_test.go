package command_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/command"
)

// TestDistinct: two results of one file, and one over a file that is read, are refused under any
// name of it.
func TestDistinct(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(in("a"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{os.WriteFile(in("b"), nil, 0o600), os.Link(in("a"), in("hard")),
		os.Symlink("a", in("soft")), os.Mkdir(in("sub"), 0o700)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		report, record, tenants string
		words                   []string // none: accepted
	}{
		{in("a"), in("a"), "", []string{"--report and --record", "both write"}},
		{in("a"), in("hard"), "", []string{"--report and --record"}},
		{in("soft"), in("a"), "", []string{"--report and --record"}},
		{in("new"), in("sub/../new"), "", []string{"--report and --record"}},
		{in("a"), "", in("a"), []string{"--report would overwrite", "--tenants reads"}},
		{"", in("hard"), in("soft"), []string{"--record would overwrite"}},
		{"-", "", "", []string{"--report -: give the name of a file"}},
		{in("a"), "-", "", []string{"--record -: give the name of a file"}},
		{"./-", "", "", nil},
		{in("a"), in("b"), "", nil},
		{in("new"), in("newer"), in("a"), nil},
		{in("new"), in("sub/new"), "", nil},
		{"/dev/null", "/dev/null", "", nil},
		{"", "", "", nil},
		{in("none/new"), in("none/new"), "", nil}, // opening them fails
	} {
		err := command.Distinct([]command.NamedFile{{Flag: "--report", Path: c.report},
			{Flag: "--record", Path: c.record}},
			[]command.NamedFile{{Flag: "--tenants", Path: c.tenants}})
		if (err == nil) != (c.words == nil) {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		for _, w := range c.words {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%+v: %v, without %q", c, err, w)
			}
		}
	}
}
