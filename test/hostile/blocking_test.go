package hostile

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/energy/stream"
)

// attackReportFIFO: where the report is to be written somebody has put a FIFO that nobody reads.
func attackReportFIFO(t *testing.T) {
	b := lay(t)
	fifo := b.crafted("r.json")
	must(t, unix.Mkfifo(fifo, 0o666))
	chown(t, fifo)
	b.start(t, append(b.nobodys("--report", fifo, "--"),
		attacker("spin", "1")...)...).finish(4 * time.Second)
}

// attackLiveFIFO: where stream and trace are to be written somebody has put FIFOs, whose readers
// take nothing.
func attackLiveFIFO(t *testing.T) {
	b := lay(t)
	for _, name := range append(slices.Collect(maps.Keys(stream.TraceTables)), "stream") {
		fifo := b.crafted(name)
		must(t, unix.Mkfifo(fifo, 0o666))
		chown(t, fifo)
		fd, err := unix.Open(fifo, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		must(t, err)
		defer unix.Close(fd)
	}
	for _, flags := range [][]string{{"--stream", b.crafted("stream"), "--interval", "100ms"},
		{"--trace", b.dir}} {
		b.start(t, append(b.nobodys(append(flags, "--methods", "--")...),
			attacker("family", "4", "spin", "1")...)...).finish(6 * time.Second)
	}
}

// attackRecordFIFO: where the recording is to be written somebody has put a FIFO, whose reader
// stops to read.
func attackRecordFIFO(t *testing.T) {
	for _, read := range []bool{false, true} {
		b := lay(t)
		fifo := b.crafted("r.ebb")
		must(t, unix.Mkfifo(fifo, 0o666))
		chown(t, fifo)
		if read {
			fd, err := unix.Open(fifo, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
			must(t, err)
			defer unix.Close(fd)
		}
		b.start(t, append(b.nobodys("--record", fifo, "--"),
			attacker("family", "4", "spin", "1")...)...).finish(4 * time.Second)
	}
}

// attackEpochsFIFO: the same of the epoch table.
func attackEpochsFIFO(t *testing.T) {
	b := lay(t)
	fifo := b.crafted("e.csv")
	must(t, unix.Mkfifo(fifo, 0o666))
	chown(t, fifo)
	args := append([]string{"record"}, b.machine()...)
	b.start(t, append(append(args, "--epochs", fifo, "--"),
		attacker("spin", "1")...)...).finish(4 * time.Second)
}

// attackDeaf: the program ignores TERM. The first is passed on; the second has the clocks put back
// and ebb end.
func attackDeaf(t *testing.T) { outlived(t, attacker("deaf", "60")) }

// attackStopped: the program has stopped itself.
func attackStopped(t *testing.T) { outlived(t, attacker("stopped", "1")) }

func outlived(t *testing.T, argv []string) {
	b := lay(t)
	r := b.start(t, append(append(b.nobodys(), "--"), argv...)...)
	r.governs()
	time.Sleep(1500 * time.Millisecond)
	r.endsAtSecond()
}

// endsAtSecond expects the clocks back and ebb's end after a second TERM.
func (r *running) endsAtSecond() {
	t := r.t
	t.Helper()
	r.signal(syscall.SIGTERM)
	time.Sleep(500 * time.Millisecond)
	again := time.Now()
	r.signal(syscall.SIGTERM)
	if !r.within(maxEnd) {
		t.Errorf("ebb still runs %v after the second TERM", maxEnd)
	}
	r.clocksBack(again)
	r.holds()
}

// withStalled has ebb look at a forged Java machine whose libjvm.so lies on a file system that
// stops to answer once it is mapped.
func withStalled(t *testing.T, stop func(*devtest.Stalled)) {
	b := lay(t)
	plain := b.crafted("plain.so")
	forge(t, plain)
	content, err := os.ReadFile(plain)
	must(t, err)
	dir := filepath.Join(b.dir, "fuse")
	must(t, os.Mkdir(dir, 0o755))
	s := devtest.Stall(t, dir, "libjvm.so", content, nobody)
	at := b.crafted("ready")
	target := hostile(t, b, attacker("forger", s.Path, "40", at))
	awaitFile(t, at)
	stop(s)
	args := append(append([]string{"run", "--methods"}, b.machine()...), "--duration", "2s",
		"--pid", strconv.Itoa(target.Process.Pid))
	r := b.start(t, args...)
	r.governs()
	end := time.Now().Add(2 * time.Second)
	if patience := 2*time.Second + maxEnd; !r.within(patience) {
		t.Errorf("--duration 2s has not ended it after %v", patience)
	}
	r.clocksBack(end.Add(500 * time.Millisecond)) // a machine with a load
	r.finishIfRunning()
}

// finishIfRunning is finish for a run whose end was already checked.
func (r *running) finishIfRunning() {
	if r.within(0) {
		r.holds()
		return
	}
	r.finish(0)
}

// attackStalledPage: a page of the target's memory is a file's, and whoever reads it waits forever.
func attackStalledPage(t *testing.T) {
	withStalled(t, func(s *devtest.Stalled) { s.From.Store(dataAt) })
}

// attackStalledFile: the file that is mapped can be opened, and whoever reads it waits forever.
func attackStalledFile(t *testing.T) {
	withStalled(t, func(s *devtest.Stalled) { s.From.Store(loaded) })
}

// attackStalledOpen: whoever opens the file waits forever.
func attackStalledOpen(t *testing.T) {
	withStalled(t, func(s *devtest.Stalled) { s.Opens.Store(true) })
}

// attackSilentJVMs: six programs that look like Java machines, catch SIGQUIT and never answer. Ebb
// asks them when the run is over, for 10 s at most in all.
func attackSilentJVMs(t *testing.T) {
	const asked = 10 * time.Second
	b := lay(t)
	lib := b.crafted("libjvm.so")
	craft(t, lib)
	target := hostile(t, b, attacker("family", "6", "silent", lib, "40"))
	time.Sleep(500 * time.Millisecond)
	args := append(append([]string{"run", "--methods"}, b.machine()...),
		"--pid", strconv.Itoa(target.Process.Pid))
	r := b.start(t, args...)
	r.governs()
	time.Sleep(2 * time.Second)
	end := time.Now()
	r.signal(syscall.SIGTERM)
	if !r.within(asked + maxEnd) {
		t.Errorf("ebb still runs %v after TERM", asked+maxEnd)
	}
	r.clocksBack(end)
	r.finishIfRunning()
	left, _ := filepath.Glob("/tmp/.attach_pid*")
	for _, f := range left {
		t.Errorf("%s is left", f)
		os.Remove(f)
	}
}
