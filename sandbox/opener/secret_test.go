package opener

import (
	"os"
	"path/filepath"
	"testing"
)

// Symbols that lie apart are the process's user's or everybody's: a link of the user's opens
// nothing that only root reads.
func TestSymbolsAreNoSecrets(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root reads what another user may not")
	}
	const user, other = 4711, 4712
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := os.Symlink(".", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		mode   os.FileMode
		owner  int
		opened bool
	}{
		{"secret", 0o600, 0, false},
		{"groups", 0o640, 0, false},
		{"others", 0o600, other, false},
		{"public", 0o644, 0, true},
		{"own", 0o600, user, true},
	} {
		path := filepath.Join(dir, c.name)
		for _, err := range []error{os.WriteFile(path, []byte("x"), c.mode),
			os.Chown(path, c.owner, c.owner)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{c.name, "link/" + c.name} {
			f, err := regularIn(root, name, user)
			if (err == nil) != c.opened {
				t.Errorf("%s (%v of %d): %v", name, c.mode, c.owner, err)
			}
			if err == nil {
				f.Close()
			}
		}
	}
}
