package safefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestPipe: a pipe takes what its user writes, is for nobody else, never waits, and is gone in the
// end.
func TestPipe(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	p, err := NewPipe(uint32(os.Geteuid()), uint32(os.Getegid()))
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(p.Path); err != nil || info.Mode() != fs.ModeNamedPipe|0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	buf := make([]byte, 100)
	if n, err := p.Read(buf[:0]); n != 0 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if err := ToPipe(p.Path, "begin x\n"); err != nil {
		t.Error(err)
	}
	if n, err := p.Read(buf); string(buf[:n]) != "begin x\n" || err != nil {
		t.Errorf("%q, %v", buf[:n], err)
	}
	if err := ToPipe(p.Path, "end x\n"); err != nil {
		t.Error(err)
	}
	// The end that a process without rights gets can read, never waits, and cannot write.
	if n, err := unix.Read(int(p.Reader.Fd()), buf); err != nil || string(buf[:n]) != "end x\n" {
		t.Errorf("%q, %v", buf[:max(n, 0)], err)
	}
	if _, err := unix.Read(int(p.Reader.Fd()), buf); !errors.Is(err, unix.EAGAIN) {
		t.Errorf("it waits, or ends: %v", err)
	}
	if _, err := unix.Write(int(p.Reader.Fd()), buf[:1]); !errors.Is(err, unix.EBADF) {
		t.Errorf("it can write: %v", err)
	}
	woken := make(chan bool, 100)
	if err := p.Watch(time.Millisecond, func() { woken <- true }); err != nil {
		t.Fatal(err)
	}
	if err := ToPipe(p.Path, "x\n"); err != nil {
		t.Fatal(err)
	}
	<-woken
	<-woken // nobody has read it
	if _, err := p.Read(buf); err != nil {
		t.Fatal(err)
	}
	go func() {
		for range woken { // of a moment before
			continue
		}
	}()
	for err == nil { // until it is full
		err = ToPipe(p.Path, "0123456789012345678901234567890123456789")
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Dir(p.Path)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is left: %v", err)
	}
	if err := ToPipe(p.Path, "x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no pipe: %v", err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("kept"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := ToPipe(file, "x"); !errors.Is(err, errNoPipe) {
		t.Errorf("a file: %v", err)
	}
	link := file + ".link"
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	if err := ToPipe(link, "x"); err == nil {
		t.Error("a link is followed")
	}
	if b, _ := os.ReadFile(file); string(b) != "kept" {
		t.Errorf("the file has %q", b)
	}
}

// TestPipeOfAKilledProcess: the next pipe takes away what a process that was killed left, and
// nothing else: neither a pipe in use, nor one that is being made, nor what only has such a name.
func TestPipeOfAKilledProcess(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	uid, gid := uint32(os.Geteuid()), uint32(os.Getegid())
	used, err := NewPipe(uid, gid)
	if err != nil {
		t.Fatal(err)
	}
	defer used.Close()
	left, err := NewPipe(uid, gid)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []*os.File{left.File, left.Reader} { // as the kernel does
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	begun := filepath.Join(dir, pipeDirectory+"begun")
	full := filepath.Join(dir, pipeDirectory+"full")
	link := filepath.Join(dir, pipeDirectory+"link")
	for at, mode := range map[string]fs.FileMode{begun: 0o700, full: pipeMode} {
		if err := errors.Join(os.Mkdir(at, mode), unix.Mkfifo(filepath.Join(at, pipeName), 0o600),
			os.Chmod(at, mode)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.WriteFile(filepath.Join(full, "file"), nil, 0o600),
		os.Symlink(filepath.Dir(used.Path), link)); err != nil {
		t.Fatal(err)
	}
	next, err := NewPipe(uid, gid)
	if err != nil {
		t.Fatal(err)
	}
	defer next.Close()
	if _, err := os.Stat(filepath.Dir(left.Path)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is left: %v", err)
	}
	for _, path := range []string{used.Path, next.Path, filepath.Join(begun, pipeName),
		filepath.Join(full, "file"), link} {
		if _, err := os.Lstat(path); err != nil {
			t.Error(err)
		}
	}
}

// TestPipeBesideAMount: another file system that has such a name is not entered.
func TestPipeBesideAMount(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	at := filepath.Join(dir, pipeDirectory+"mounted")
	if err := os.Mkdir(at, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("none", at, "tmpfs", 0, "mode=711"); err != nil {
		t.Skip("nothing can be mounted: ", err)
	}
	defer unix.Unmount(at, unix.MNT_DETACH)
	pipe := filepath.Join(at, pipeName)
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := NewPipe(uint32(os.Geteuid()), uint32(os.Getegid()))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if _, err := os.Stat(pipe); err != nil {
		t.Error(err)
	}
}
