package safefile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Devices and pipes keep their names.
func TestDevices(t *testing.T) {
	must(t, Whole(os.DevNull, text("thrown away")))
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Fatalf("%s was replaced (%v)", os.DevNull, err)
	}
	if err := Whole("/dev/full", text("nowhere to go")); !errors.Is(err, unix.ENOSPC) {
		t.Errorf("/dev/full: %v", err)
	}
	f, err := Create(os.DevNull)
	must(t, err)
	if f.draft != nil {
		t.Error("a device is taken for a file")
	}
	must(t, f.Close())
}

func TestPipes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	must(t, unix.Mkfifo(path, 0o600))
	if err := CheckFile(path); !errors.Is(err, errNoFile) {
		t.Errorf("a pipe for a file: %v", err)
	}
	if err := Whole(path, text("x")); !errors.Is(err, ErrNoReader) {
		t.Errorf("without a reader: %v", err)
	}
	r, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	must(t, err)
	defer r.Close()
	long := string(make([]byte, 300_000)) // more than a pipe holds
	done := make(chan error, 1)
	go func() { done <- Whole(path, text(long)) }()
	got := 0
	for got < len(long) {
		n, err := r.Read(make([]byte, 1<<16))
		if err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		got += n
	}
	must(t, <-done)
	// The wait for a reader that takes nothing ends, and a reader that has gone is reported.
	f, err := Create(path)
	must(t, err)
	f.stream.patience = time.Millisecond
	if err := text(long)(f); !errors.Is(err, errStalled) {
		t.Errorf("a reader that takes nothing: %v", err)
	}
	r.Close()
	if err := text(long)(f); !errors.Is(err, unix.EPIPE) {
		t.Errorf("a reader that has gone: %v", err)
	}
	must(t, f.Close())
}

// Inherited descriptors are written as they are, files among them: without emptying what is there,
// at their offset.
func TestInherited(t *testing.T) {
	r, w, err := os.Pipe()
	must(t, err)
	defer r.Close()
	for _, path := range []string{"/dev/fd/%d", "/proc/self/fd/%d",
		fmt.Sprintf("/proc/%d/fd/%%d", os.Getpid())} {
		path = fmt.Sprintf(path, w.Fd())
		must(t, Check(path))
		must(t, CheckFile(path))
		must(t, Whole(path, text("word ")))
	}
	w.Close()
	if b, err := io.ReadAll(r); string(b) != "word word word " {
		t.Errorf("the pipe had %q (%v)", b, err)
	}
	path := filepath.Join(t.TempDir(), "file")
	f, err := os.Create(path)
	must(t, err)
	defer f.Close()
	must(t, text("a header, then ")(f))
	must(t, Whole(fmt.Sprintf("/dev/fd/%d", f.Fd()), text("the report")))
	has(t, path, "a header, then the report")
	for path, want := range map[string]error{
		"/dev/fd/9999": unix.EBADF, fmt.Sprintf("/proc/%d/fd/1",
			os.Getppid()): errOtherProcess, "/proc/self/cwd/file": errOtherProcess,
	} {
		if err := Whole(path, text("x")); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
	}
}
