package command

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == ScribeCommand {
		if err := ServeScribe(); err != nil {
			fmt.Fprintln(os.Stderr, "ebb:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func line(i int) []byte { return []byte(fmt.Sprintf("%d %s\n", i, strings.Repeat("x", 5000))) }

// TestAllAreWritten: all lines that were taken are in the file, whole and in order.
func TestAllAreWritten(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s, err := StartScribe(f)
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	for i := range 1000 {
		if s.Offer(line(i)) {
			want.Write(line(i))
		}
	}
	for info, err := f.Stat(); err == nil && info.Size() == 0; info, err = f.Stat() {
		time.Sleep(time.Millisecond) // until the process runs: Close waits for a while only
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(f.Name())
	if err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%v: %d bytes of %d", err, len(got), want.Len())
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// TestNobodyReads: a pipe that nobody reads takes what it and the process's pipe hold; the rest is
// dropped and counted, no call waits, and a late reader finds whole lines but for the last.
func TestNobodyReads(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	w, err := os.OpenFile(path, os.O_WRONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	s, err := StartScribe(w)
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	taken := 0
	for i := range 2000 { // 10 MB
		if s.Offer(line(i)) {
			taken++
		}
	}
	if s.Dropped() == 0 || taken == 0 || uint64(taken)+s.Dropped() != 2000 {
		t.Errorf("%d taken, %d dropped", taken, s.Dropped())
	}
	// until the process runs
	written := []unix.PollFd{{Fd: int32(r.Fd()), Events: unix.POLLIN}}
	for n := 0; n <= 0; {
		if n, err = unix.Poll(written, -1); err != nil && !errors.Is(err, unix.EINTR) {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err == nil || !strings.Contains(err.Error(), "nobody takes") {
		t.Errorf("%v", err)
	}
	last := -1
	for in := bufio.NewReader(r); ; {
		text, err := in.ReadString('\n')
		if err != nil {
			break
		}
		var i int
		fmt.Sscan(text, &i)
		if i <= last || text != string(line(i)) {
			t.Fatalf("after %d: %.20q of %d bytes", last, text, len(text))
		}
		last = i
	}
	if last < 0 {
		t.Error("nothing was written")
	}
}

// TestFullDisk: the reason is in the error, and offers go on without waiting.
func TestFullDisk(t *testing.T) {
	f, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	s, err := StartScribe(f)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2000 {
		s.Offer(line(i))
	}
	for s.lives() { // until it has ended: Close waits for a while only
		time.Sleep(time.Millisecond)
	}
	if err := s.Close(); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("%v", err)
	}
}
