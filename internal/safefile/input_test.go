package safefile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestAll(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	huge := filepath.Join(dir, "huge")
	if err := errors.Join(os.WriteFile(huge, nil, 0o600), os.Truncate(huge, 1<<40)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{
		put("ten", "0123456789"): nil, put("empty", ""): nil, put("eleven",
			"0123456789a"): errTooLong, huge: errTooLong,
		"/dev/zero": errTooLong, "/dev/null": nil, dir: unix.EISDIR, filepath.Join(dir,
			"none"): unix.ENOENT,
	} {
		b, err := ReadAll(path, 10)
		if !errors.Is(err, want) || err == nil && len(b) > 10 {
			t.Errorf("%s: %d bytes, %v; want %v", path, len(b), err, want)
		}
		if err != nil && (!strings.Contains(err.Error(), path) ||
			strings.Contains(err.Error(), "\n")) {
			t.Errorf("%s: %v is no sentence with its name", path, err)
		}
	}
}

// TestMessages: a device that deals in messages is no file, and nobody waits for its next one.
func TestMessages(t *testing.T) {
	tried := 0
	for _, path := range []string{"/dev/kmsg", "/dev/fuse", "/dev/net/tun", "/dev/vsock",
		"/dev/hwrng"} {
		f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
		if err != nil { // it is not there, or not this user's
			continue
		}
		f.Close()
		tried++
		if _, err := ReadAll(path, 10); !errors.Is(err, errNotFile) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if tried == 0 {
		t.Skip("needs /dev/kmsg or the like")
	}
}

// File refuses what is not on a disk, also a pipe with a writer.
func TestFile(t *testing.T) {
	dir := t.TempDir()
	plain, pipe := filepath.Join(dir, "plain"), filepath.Join(dir, "pipe")
	huge := filepath.Join(dir, "huge")
	if err := errors.Join(os.WriteFile(plain, []byte("0123456789"), 0o600),
		os.WriteFile(huge, nil, 0o600), os.Truncate(huge, 1<<40),
		unix.Mkfifo(pipe, 0o600)); err != nil {
		t.Fatal(err)
	}
	w, err := os.OpenFile(pipe, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for path, want := range map[string]error{plain: nil, pipe: errNotFile, "/dev/zero": errNotFile,
		"/dev/null": errNotFile, dir: unix.EISDIR, huge: errTooLong,
		filepath.Join(dir, "none"): unix.ENOENT} {
		b, err := ReadFile(path, 10)
		if !errors.Is(err, want) || err == nil && string(b) != "0123456789" {
			t.Errorf("%s: %q, %v; want %v", path, b, err, want)
		}
		if err != nil && (!strings.Contains(err.Error(), path) ||
			strings.Contains(err.Error(), "\n")) {
			t.Errorf("%s: %v is no sentence with its name", path, err)
		}
	}
}

func TestReadPipes(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	go func() {
		time.Sleep(20 * time.Millisecond) // a writer that is slow is waited for
		fmt.Fprint(w, "late")
		w.Close()
	}()
	if b, err := ReadAll(fmt.Sprintf("/dev/fd/%d", r.Fd()), 10); string(b) != "late" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
	path := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if p := f.(*pipe); p.patience != patience {
		t.Errorf("a pipe with a name is waited for without end: %v", p.patience)
	}
	f.(*pipe).patience = 2 * time.Millisecond
	if _, err := io.ReadAll(f); !errors.Is(err, errSilent) {
		t.Errorf("without a writer: %v", err)
	}
	named, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(named, "said")
	named.Close()
	f.(*pipe).patience = patience
	if b, err := io.ReadAll(f); string(b) != "said" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
}
