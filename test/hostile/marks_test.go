package hostile

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/instrumented"
)

// markPipe opens the pipe for marks. It never waits.
func markPipe(flags int) int {
	fd, err := unix.Open(os.Getenv(instrumented.MarksVariable),
		flags|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	check(err)
	return fd
}

// markFlood SECONDS writes marks without end from several threads: hundreds of regions, halves of
// lines, escapes, numbers that are none, times long ago and to come, a name of 10 MB, zeros.
func markFlood(args []string) {
	fd := markPipe(unix.O_WRONLY)
	_, _ = unix.FcntlInt(uintptr(fd), unix.F_SETPIPE_SZ, 1<<20)
	end := time.Now().Add(seconds(args[0]))
	huge := bytes.Repeat([]byte("begin "+strings.Repeat("x", 1000)), 10_000)
	var all sync.WaitGroup
	for n := range 4 {
		all.Add(1)
		go func() {
			defer all.Done()
			r := numbers()
			for i := 0; time.Now().Before(end); i++ {
				name := fmt.Sprintf("region%d-%d", n, r.IntN(256))
				line := []string{
					"begin " + name + "\n", "end " + name + "\n", "begin " + name, "\n\n\nend \n",
					"begin " + escape + "\nbegin " + escape8 + "\nend " + raw8 + "\n",
					fmt.Sprintf("begin %s %d\n", name, scrambled(r)),
					fmt.Sprintf("begin %s -%d\nend %s 1e99\n", name, scrambled(r), name),
					"begin =1+1\nbegin a#1\nbegin \x00\x00\n", string(make([]byte, 4096)),
				}[r.IntN(9)]
				if i%1000 == 0 {
					for rest := huge; len(rest) > 0 && time.Now().Before(end); {
						wrote, err := unix.Write(fd, rest)
						if err != nil {
							runtime.Gosched() // it is full
							continue
						}
						rest = rest[wrote:]
					}
				}
				_, _ = unix.Write(fd, []byte(line)) // or it is full
			}
		}()
	}
	all.Wait()
}

// markThief SECONDS wants the pipe for itself: it removes, replaces, cuts and locks it, takes
// others' marks from it, and fills what is left.
func markThief(args []string) {
	path := os.Getenv(instrumented.MarksVariable)
	reader, writer := markPipe(unix.O_RDONLY), markPipe(unix.O_WRONLY)
	if unix.Unlink(path) == nil || os.Rename(path, path+".old") == nil ||
		os.Symlink("/etc/passwd", path+".new") == nil || os.Mkdir(path+".d", 0o700) == nil {
		check(fmt.Errorf("the pipe's directory is not its own"))
	}
	for i, end := 0, time.Now().Add(seconds(args[0])); time.Now().Before(end); i++ {
		if i%100 == 0 {
			_ = unix.Chmod(path, uint32(i/100%2*0o777)) // it is its owner
			_ = unix.Truncate(path, 0)
			_ = unix.Flock(reader, unix.LOCK_EX|unix.LOCK_NB)
		}
		_, _ = unix.Write(writer, bytes.Repeat([]byte("begin a\n"), 512))
		_, _ = unix.Read(reader, make([]byte, 1+i%100)) // others read what is left of a line
	}
	// A process that stays, and has the pipe full and open.
	_, _ = unix.Write(writer, make([]byte, 1<<20))
}

// markCrowd THREADS SECONDS has so many threads, which take turns, and hundreds of marks in each
// window.
func markCrowd(args []string) {
	n, err := strconv.Atoi(args[0])
	check(err)
	fd, end := markPipe(unix.O_WRONLY), time.Now().Add(seconds(args[1]))
	var all sync.WaitGroup
	for i := range n {
		all.Add(1)
		go func() {
			defer all.Done()
			runtime.LockOSThread()
			for k := i; time.Now().Before(end); k++ {
				name := fmt.Sprintf("r%d", k%64)
				line := fmt.Sprintf("begin %s %d\nend %s %[2]d\n", name, monotonic(), name)
				_, _ = unix.Write(fd, []byte(line)) // or it is full
				burn(50 * time.Microsecond)
				time.Sleep(5 * time.Millisecond)
			}
		}()
	}
	all.Wait()
}

// marked has ebb run a hostile program with everything that shows it while it runs.
func (b *bed) marked(t *testing.T, argv []string) *running {
	t.Helper()
	return b.sampled(t, argv, "--regions", "--stream", filepath.Join(b.own, "s.jsonl"),
		"--interval", "100ms", "--trace", filepath.Join(b.own, "trace"))
}

// shownWhole checks also what a run's stream, tables and regions say.
func (b *bed) shownWhole(t *testing.T, r *running) {
	t.Helper()
	b.shown(t, r)
	stream, report := filepath.Join(b.own, "s.jsonl"), filepath.Join(b.own, "r.json")
	page := filepath.Join(b.own, "watch.html")
	for _, args := range [][]string{{"watch", stream}, {"watch", stream, "--once", "--json"},
		{"watch", stream, "-o", page}, {"report", report, "--by", "region"},
		{"report", report, "--by", "region", "--format", "csv"}} {
		out, err := exec.Command(ebbPath(), args...).CombinedOutput()
		if err != nil {
			t.Errorf("%v: %v %.500s", args, err, out)
		}
		clean(t, strings.Join(args, " "), string(out))
	}
	tables, _ := filepath.Glob(filepath.Join(b.own, "trace/*"))
	if len(tables) < 6 {
		t.Errorf("a trace of %q", tables)
	}
	for _, path := range append(tables, stream, page) {
		text, err := os.ReadFile(path)
		must(t, err)
		clean(t, path, string(text))
	}
}

// attackMarkFlood: marks of every bad kind, as fast as a program can write them.
func attackMarkFlood(t *testing.T) {
	b := lay(t)
	r := b.marked(t, attacker("markflood", "2"))
	r.governs()
	r.finish(15 * time.Second)
	b.shownWhole(t, r)
}

// attackMarkThief: the program wants to take the pipe for marks away, and leaves a process that has
// it open.
func attackMarkThief(t *testing.T) {
	b := lay(t)
	r := b.marked(t, attacker("markthief", "1.5"))
	r.finish(15 * time.Second)
	b.shownWhole(t, r)
}

// attackMarkCrowd: 64 regions that begin and end hundreds of times in a window, in 300 threads.
func attackMarkCrowd(t *testing.T) {
	b := lay(t)
	r := b.marked(t, attacker("markcrowd", "300", "2"))
	r.finish(15 * time.Second)
	b.shownWhole(t, r)
}

// attackMarkKilled: an ebb that takes marks is killed. The next one removes what it left.
func attackMarkKilled(t *testing.T) {
	b := lay(t)
	temporary := filepath.Join(b.own, "tmp")
	must(t, os.Mkdir(temporary, 0o711))
	must(t, os.Chmod(b.own, 0o711))
	t.Setenv("TMPDIR", temporary)
	r := b.marked(t, attacker("markcrowd", "4", "20"))
	r.governs()
	when := time.Now()
	r.signal(syscall.SIGKILL)
	b.killed(t, r, when)
	// The process that read for ebb dies after it, when it gets a CPU.
	pipes, err := filepath.Glob(filepath.Join(temporary, ".*", "*"))
	must(t, err)
	for _, pipe := range pipes {
		for {
			fd, err := unix.Open(pipe, unix.O_WRONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
			if errors.Is(err, unix.ENXIO) {
				break
			}
			must(t, err)
			must(t, unix.Close(fd))
			time.Sleep(time.Millisecond)
		}
	}
	r = b.marked(t, attacker("markcrowd", "4", "1.5"))
	r.finish(15 * time.Second)
	b.shownWhole(t, r)
	if left, _ := filepath.Glob(filepath.Join(temporary, ".*")); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// attackLiveNames: what is shown while a program runs has the names of its threads.
func attackLiveNames(t *testing.T) {
	b := lay(t)
	r := b.marked(t, attacker("named", "1"))
	r.finish(15 * time.Second)
	b.shownWhole(t, r)
}

// attackForeignStream: a stream that another user wrote, with names that a terminal obeys, lists
// without end, numbers beyond any, and lines that are none.
func attackForeignStream(t *testing.T) {
	b := lay(t)
	var names strings.Builder
	for i, name := range []string{escape, escape8, "=1+1", "</script><script>x"} {
		quoted := strconv.QuoteToASCII(name)
		quoted = strings.NewReplacer(`\x1b`, `\u001b`, `\a`, `\u0007`).Replace(quoted)
		fmt.Fprintf(&names, `{"schema":1,"command":%s,"source":%[1]s,"rule":%[1]s,"at_ns":%d,`+
			`"every_ns":%d,"watts":1e308,"total_nj":9223372036854775807,"freq_hz":-1,`+
			`"processes":[{"pid":-5,"name":%[1]s,"energy_nj":-9223372036854775808}],`+
			`"threads":[{"tid":1,"name":%[1]s,"watts":-1e308}],`+
			`"methods":[{"unit":%[1]s,"share":-3,"share_low":7,"share_high":1e300}]}`+"\n",
			quoted, int64(i)<<60, -int64(i))
	}
	long := `{"schema":1,"threads":[` + strings.Repeat(`{"tid":1,"name":"x"},`, 1<<19) +
		`{"tid":1}]}` + "\n"
	for what, text := range map[string]string{"names": names.String(), "long": long,
		"both": long + names.String(), "zeros": strings.Repeat("\x00", 32<<20),
		"nested": strings.Repeat("[", 8<<20) + "\n"} {
		path := b.file(t, what+".jsonl", []byte(text))
		for _, args := range [][]string{{"--once"}, {"--once", "--json"},
			{"--once", "-o", filepath.Join(b.own, what+".html")}} {
			r := b.start(t, append([]string{"watch", path}, args...)...)
			if !r.within(10 * time.Second) {
				t.Errorf("ebb watch %s %v does not end", what, args)
			}
			r.holds()
			out, err := os.ReadFile(r.out)
			must(t, err)
			clean(t, what, string(out)+r.stderr())
		}
		page, err := os.ReadFile(filepath.Join(b.own, what+".html"))
		if err == nil && bytes.Contains(page, []byte("<script>x")) {
			t.Error("a name is a script of the page")
		}
	}
}
