//go:build !race

package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestEntries: the child finds functions of a file by their names, and says of others why not.
func TestEntries(t *testing.T) {
	mayOpen(t)
	path := libc(t)
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list, err := Entries(t.Context(), f, []string{"malloc", "no such function", "memcpy"})
	if err != nil {
		t.Fatal(err)
	}
	if len(list[0].Offsets) != 1 || list[0].Shown == "" || list[1].Reason == "" ||
		len(list[2].Offsets) > 0 == (list[2].Reason != "") {
		t.Errorf("%+v", list)
	}
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := os.Open(script)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := Entries(t.Context(), s, []string{"f"}); !errors.Is(err, ErrFile) {
		t.Error(err)
	}
}

// libc returns the path of the C library that programs on this machine use.
func libc(t *testing.T) string {
	t.Helper()
	for _, pattern := range []string{"/lib/*-linux-gnu/libc.so.6", "/lib64/libc.so.6"} {
		if found, err := filepath.Glob(pattern); err == nil && len(found) > 0 {
			return found[0]
		}
	}
	t.Skip("no C library where Debian and Fedora have it")
	return ""
}
