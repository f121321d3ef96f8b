package devtest

import (
	"os"
	"path/filepath"
	"testing"
)

func TestMake(t *testing.T) {
	dir := Tree(t, "# comment\n\nfile 0444 a/b\n\tone\n\t\ttwo\nlink l a/b\ndir d\n")
	b, err := os.ReadFile(filepath.Join(dir, "l"))
	if string(b) != "one\n\ttwo\n" || err != nil {
		t.Errorf("got %q, %v", b, err)
	}
	if info, err := os.Stat(filepath.Join(dir, "a/b")); err != nil || info.Mode() != 0o444 {
		t.Errorf("got %v, %v", info, err)
	}
	if info, err := os.Stat(filepath.Join(dir, "d")); err != nil || !info.IsDir() {
		t.Errorf("got %v, %v", info, err)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{
		"\tno file\n", "dir\n", "file 0644\n", "file 0999 a\n", "file 07777 a\n", "link a\n",
		"what a\n",
		"dir d\n\tcontent\n", "dir ../up\n", "file 0644 /etc/passwd\n", "link a/../../b c\n",
	} {
		if nodes, err := parse(text); err == nil {
			t.Errorf("parse(%q) = %v", text, nodes)
		}
	}
}
