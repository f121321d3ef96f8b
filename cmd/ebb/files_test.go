package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A file is there whole or not at all; what is no file of its own keeps its name.
func TestWholeFile(t *testing.T) {
	text := func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err }
	fails := func(w io.Writer) error {
		_, err := io.WriteString(w, "half")
		return errors.Join(err, &os.PathError{Op: "write", Path: "draft-1234", Err: unix.ENOSPC})
	}
	dir := t.TempDir()
	file, link, other := filepath.Join(dir, "file"), filepath.Join(dir, "link"), filepath.Join(dir, "other")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	has := func(path, want string) {
		t.Helper()
		if b, err := os.ReadFile(path); string(b) != want {
			t.Errorf("%s has %q (%v), want %q", path, b, err, want)
		}
	}
	must(wholeFile(file, text))
	has(file, "new")
	must(os.WriteFile(file, []byte("what was there before, and longer"), 0o600))
	err := wholeFile(file, fails)
	if err == nil || !strings.Contains(err.Error(), file) || strings.Contains(err.Error(), "draft") {
		t.Errorf("error %v: want the name of the file, not of a draft", err)
	}
	has(file, "what was there before, and longer")
	must(os.WriteFile(other, []byte("a link leads here"), 0o600))
	must(os.Symlink(other, link))
	must(wholeFile(link, text))
	has(other, "new")
	if info, err := os.Lstat(link); err != nil || info.Mode().Type() != os.ModeSymlink {
		t.Errorf("the link was replaced (%v)", err)
	}
	must(wholeFile(os.DevNull, text))
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Fatalf("%s was replaced (%v)", os.DevNull, err)
	}
	if err := wholeFile(filepath.Join(dir, "none", "file"), text); !errors.Is(err, unix.ENOENT) {
		t.Errorf("in a directory that does not exist: %v", err)
	}
	entries, err := os.ReadDir(dir)
	if must(err); len(entries) != 3 {
		t.Errorf("%d names, want 3: a draft was left", len(entries))
	}
}

// Another user's link is not followed: it may lead to a file that only root can write.
func TestOthersLinks(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make a link of another user")
	}
	dir := t.TempDir()
	precious, link := filepath.Join(dir, "precious"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(precious, []byte("kept"), 0o600), os.Symlink(precious, link), os.Lchown(link, 65534, 65534)); err != nil {
		t.Fatal(err)
	}
	if _, err := fileFor("--record", link); err == nil || !strings.Contains(err.Error(), "another user") {
		t.Errorf("created through another user's link: %v", err)
	}
	if err := wholeFile(link, func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err }); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(precious); string(b) != "kept" {
		t.Errorf("what the link led to has %q (%v)", b, err)
	}
	if info, err := os.Lstat(link); err != nil || !info.Mode().IsRegular() {
		t.Errorf("the link was not replaced (%v)", err)
	}
}

// A reader of standard output that has gone is nothing to tell of; any other pipe or device is.
func TestReaderGone(t *testing.T) {
	at := func(path string, err error) error { return &os.PathError{Op: "write", Path: path, Err: err} }
	for _, c := range []struct {
		err  error
		says bool
		code exitCode
	}{
		{at("/dev/stdout", unix.EPIPE), false, 141},
		{at("/dev/stdout", unix.ENOSPC), true, exitFailed},
		{at("pipe", unix.EPIPE), true, exitFailed},
	} {
		if says := untold(c.err) != nil; says != c.says || codeOf(c.err) != c.code {
			t.Errorf("%v: told: %v, status %d; want %v, %d", c.err, says, codeOf(c.err), c.says, c.code)
		}
	}
}
