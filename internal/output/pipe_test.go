package output

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
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
	if err := ToPipe(file, "x"); !errors.Is(err, ErrNoPipe) {
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
