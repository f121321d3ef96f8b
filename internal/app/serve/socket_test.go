package serve

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSocket: it is everybody's to connect to, only one may have it, and nothing is left of it; one
// that another file has replaced is left alone.
func TestSocket(t *testing.T) {
	none := access{group: -1}
	dir := filepath.Join(t.TempDir(), strings.Repeat("long", 30), "run")
	if _, err := listen(dir, none); err == nil {
		t.Error("its directory's parent is not there")
	}
	if err := os.Mkdir(filepath.Dir(dir), 0o700); err != nil {
		t.Fatal(err)
	}
	s, err := listen(dir, none)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, SocketName)
	if i, err := os.Lstat(path); err != nil || i.Mode() != os.ModeSocket|0o666 {
		t.Errorf("%v, %v", i, err)
	}
	if i, err := os.Lstat(dir); err != nil || i.Mode().Perm() != 0o711 {
		t.Errorf("%v, %v", i, err)
	}
	if _, err := listen(dir, none); err == nil ||
		!strings.Contains(err.Error(), errServed.Error()) {
		t.Errorf("a second one: %v", err)
	}
	s.stays = true
	s.close()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("what pods may have mounted: %v, %v", left, err)
	}
	if s, err = listen(dir, none); err != nil {
		t.Fatal(err)
	}
	s.close()
	if _, err := os.Lstat(dir); !os.IsNotExist(err) {
		t.Errorf("left: %v", err)
	}
	if s, err = listen(dir, none); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("another's"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.close()
	if _, err := os.Lstat(path); err != nil {
		t.Error(err)
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := listen(dir, none); err == nil || !strings.Contains(err.Error(), "others") {
		t.Errorf("a directory that others may write: %v", err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	if _, err := listen(link, none); err == nil {
		t.Error("a link was followed")
	}
}

func TestGroupOf(t *testing.T) {
	for text, want := range map[string]int{"": -1, "ebb:x:977:a,b\n": 977, "root:x:0:\nebb:x:5:": 5,
		"ebb:x:0:\n": -1, "ebb:x:x:\n": -1, "ebb:x\n": -1, "ebbs:x:7:\n": -1,
		"ebb:x:4294967296:\n": -1, "#ebb:x:1:\n": -1} {
		if got := groupOf(text); got != want {
			t.Errorf("%q: %d, not %d", text, got, want)
		}
	}
}
