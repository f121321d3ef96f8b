package hostile

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/energy/stream"
)

// profile is a report that ebb report shows.
const profile = `{"command":"true","attribution":{"rate_hz":99,"wall_ns":1000000000,"rules":["ledger"],"zones":[],"threads":[],"stacks":[],"frames":[],"problems":[]}}`

// tried runs ebb with a deadline, whatever comes of it.
func tried(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command(ebbPath(), args...)
	cmd.Dir = "/"
	done := time.AfterFunc(20*time.Second, func() { _ = cmd.Process.Kill() })
	out, err := cmd.CombinedOutput()
	if !done.Stop() {
		t.Errorf("ebb %q did not end within 20 s", args)
	}
	return fmt.Sprintf("%v: %s", err, out)
}

// attackLinks: ebb is to write into a directory of the attacker's, in which each name is a link to
// a file that the user nobody may not write.
func attackLinks(t *testing.T) {
	b := lay(t)
	report := b.secret(t, "report.json", profile)
	lines := b.secret(t, "stream.jsonl", `{"schema":1,"ended":true}`+"\n")
	tree := b.machine()
	with := func(command string, more ...string) []string {
		return append(append([]string{command}, tree...), more...)
	}
	for _, there := range []bool{false, true} {
		for what, args := range map[string]func(path string) []string{
			"run --report": func(p string) []string {
				return with("run", "-q", "--report", p,
					"--", "true")
			},
			"run --record": func(p string) []string {
				return with("run", "-q", "--record", p,
					"--", "true")
			},
			"record --epochs": func(p string) []string {
				return with("record", "-q", "--epochs", p,
					"--", "true")
			},
			"report -o": func(p string) []string {
				return []string{"report", report, "-o",
					p}
			},
			"report -o html": func(p string) []string {
				return []string{"report", report,
					"--format", "html", "-o", p}
			},
			"bench --journal": func(p string) []string {
				return with("bench", "--runs", "2",
					"--journal", p, "--", "true")
			},
			"bench -o": func(p string) []string {
				must(t, os.MkdirAll(p+".d", 0o777))
				must(t, os.Symlink(p, p+".d/journal.jsonl"))
				must(t, os.Symlink(p, p+".d/bench.html"))
				must(t, os.Symlink(p, p+".d/bench.json"))
				chown(t, p+".d/journal.jsonl")
				chown(t, p+".d")
				return with("bench", "--runs", "2", "-o", p+".d", "--", "true")
			},
			"run --stream": func(p string) []string {
				return with("run", "-q", "--threads", "--stream", p, "--", "true")
			},
			"run --trace": func(p string) []string {
				must(t, os.MkdirAll(p+".t", 0o777))
				for name := range stream.TraceTables {
					must(t, os.Symlink(p, filepath.Join(p+".t", name)))
					must(t, os.Lchown(filepath.Join(p+".t", name), nobody, nobody))
				}
				chown(t, p+".t")
				return with("run", "-q", "--threads", "--trace", p+".t", "--", "true")
			},
			"watch -o": func(p string) []string {
				return []string{"watch", lines, "-o", p}
			},
			"calm --html": func(p string) []string {
				return with("calm", "--runs", "2", "--periods", "16", "--html", p, "--", "true")
			},
			"calm --samples": func(p string) []string {
				return with("calm", "--runs", "2", "--periods", "16", "--samples", p, "--", "true")
			},
		} {
			name := strings.ReplaceAll(what, " ", "") + fmt.Sprint(there)
			outside := filepath.Join(b.own, name)
			if there {
				must(t, os.WriteFile(outside, []byte("precious\n"), 0o600))
			}
			link := b.crafted(name)
			must(t, os.Symlink(outside, link))
			chown(t, link)
			said := tried(t, args(link)...)
			if there {
				if got, err := os.ReadFile(outside); err != nil || string(got) != "precious\n" {
					t.Errorf("%s wrote through a link of nobody's: %.60q (%.200s)", what, got, said)
				}
			} else if _, err := os.Lstat(outside); err == nil {
				t.Errorf("%s made a file through a link of nobody's (%.200s)", what, said)
			}
		}
	}
}

// flip NAME OUTSIDE SECONDS makes NAME a FIFO and a link to OUTSIDE in turn.
func flip(args []string) {
	fifo, link := args[0]+".f", args[0]+".l"
	go func() {
		for {
			fd, err := unix.Open(args[0], unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
			if err == nil {
				go func() { time.Sleep(50 * time.Millisecond); unix.Close(fd) }()
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	for end := time.Now().Add(seconds(args[2])); time.Now().Before(end); {
		_ = unix.Mkfifo(fifo, 0o666)
		_ = os.Rename(fifo, args[0])
		_ = os.Symlink(args[1], link)
		_ = os.Rename(link, args[0])
	}
	_ = os.Remove(args[0])
}

// attackLinkRace: the report's name is a FIFO when ebb checks it, and a link when ebb opens it.
func attackLinkRace(t *testing.T) {
	b := lay(t)
	report := b.secret(t, "report.json", profile)
	outside := b.secret(t, "precious", "precious\n")
	name := b.crafted("out")
	cmd := hostile(t, b, attacker("flip", name, outside, "12"))
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
		c := exec.Command(ebbPath(), "report", report, "-o", name)
		must(t, c.Start())
		kill := time.AfterFunc(300*time.Millisecond, func() { _ = c.Process.Kill() })
		_ = c.Wait()
		kill.Stop()
		if got, _ := os.ReadFile(outside); string(got) != "precious\n" {
			t.Error("ebb report -o overwrote root's file through nobody's link")
			break
		}
	}
	_ = cmd.Process.Kill()
}

// attackModes: a report is as private as umask and the file that was there say.
func attackModes(t *testing.T) {
	b := lay(t)
	old := filepath.Join(b.own, "old.json")
	must(t, os.WriteFile(old, []byte("{}"), 0o600))
	before := unix.Umask(0o077)
	defer unix.Umask(before)
	fresh := filepath.Join(b.own, "new.json")
	tried(t, append(append([]string{"run", "-q"}, b.machine()...), "--report", fresh, "--",
		"true")...)
	unix.Umask(0o022)
	tried(t, append(append([]string{"run", "-q"}, b.machine()...), "--report", old, "--",
		"true")...)
	for what, path := range map[string]string{"a new report under umask 077": fresh,
		"a report over a file of mode 0600": old} {
		info, err := os.Stat(path)
		if err != nil {
			t.Error(err)
		} else if info.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %o", what, info.Mode().Perm())
		}
	}
}

// attackFullDisk: a disk that is full keeps the old file, and leaves no new one of nothing.
func attackFullDisk(t *testing.T) {
	b := lay(t)
	report := b.secret(t, "report.json", profile)
	disk := filepath.Join(b.own, "disk")
	must(t, os.Mkdir(disk, 0o755))
	if err := unix.Mount("tmpfs", disk, "tmpfs", 0, "size=16k"); err != nil {
		t.Skip("nothing can be mounted: ", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(disk, unix.MNT_DETACH) })
	old := filepath.Join(disk, "old")
	must(t, os.WriteFile(old, []byte("old\n"), 0o644))
	// as much as there is room
	_ = os.WriteFile(filepath.Join(disk, "full"), make([]byte, 64<<10), 0o644)
	for _, format := range []string{"text", "html", "json"} {
		fresh := filepath.Join(disk, format)
		for _, out := range []string{old, fresh} {
			said := tried(t, "report", report, "--format", format, "-o", out)
			if strings.HasPrefix(said, "<nil>") {
				t.Errorf("report -o on a full disk: success")
			}
		}
		keeps(t, old, "old\n")
		absent(t, fresh)
	}
	left, _ := filepath.Glob(filepath.Join(disk, ".*"))
	if len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// descriptors FILE says what the program has been given besides its streams.
func descriptors(args []string) {
	var out strings.Builder
	for fd := range 256 {
		target, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
		if err == nil && fd > 2 {
			if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil &&
				flags&unix.FD_CLOEXEC == 0 {
				fmt.Fprintln(&out, fd, target)
			}
		}
	}
	check(os.WriteFile(args[0], []byte(out.String()), 0o644))
	burn(500 * time.Millisecond)
}

// attackDescriptors: the program is given its three streams, and nothing that ebb or its caller has
// open. Ebb's other processes are given nothing of the caller's, either.
func attackDescriptors(t *testing.T) {
	b := lay(t)
	secret := b.secret(t, "secret", "root's")
	f, err := os.Open(secret)
	must(t, err)
	defer f.Close()
	for _, fd := range []int{50, 51} { // a caller's are inherited
		must(t, unix.Dup2(int(f.Fd()), fd))
		defer unix.Close(fd)
	}
	list := b.crafted("list")
	r := b.sampled(t, attacker("descriptors", list))
	r.until("the program has looked", 20*time.Second, func() bool {
		_, err := os.Stat(list)
		return err == nil
	})
	for _, pid := range ebbs(r.file) {
		open, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
		for _, name := range open {
			if at, _ := os.Readlink(name); at == secret && pid != r.ebb {
				t.Errorf("process %d of ebb's has its caller's file", pid)
			}
		}
	}
	r.finish(10 * time.Second)
	if got, err := os.ReadFile(list); err != nil || len(got) > 0 {
		t.Errorf("the program has descriptors that it was not given: %v\n%s", err, got)
	}
}

// stray OUT: a program that closes its streams, and writes into whatever ebb's processes have open.
func stray(args []string) {
	parent := os.Getppid()
	var said strings.Builder
	end := time.Now().Add(2 * time.Second)
	for ; time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		for _, pid := range append(relatives(parent), parent) {
			for fd := range 64 {
				if f, err := os.OpenFile(fmt.Sprintf("/proc/%d/fd/%d", pid, fd),
					os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
					name, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", pid, fd))
					fmt.Fprintln(&said, pid, fd, name)
					_, _ = f.WriteString(strings.Repeat("\xff", 4096))
					f.Close()
				}
			}
		}
		for fd := range 3 {
			unix.Close(fd)
		}
	}
	check(os.WriteFile(args[0], []byte(said.String()), 0o644))
}

// attackStray: no descriptor of ebb's processes can be opened by the program.
func attackStray(t *testing.T) {
	b := lay(t)
	list := b.crafted("list")
	r := b.sampled(t, attacker("stray", list))
	r.finish(15 * time.Second)
	got, err := os.ReadFile(list)
	must(t, err)
	if len(got) > 0 {
		t.Errorf("the program wrote to what ebb has open:\n%.500s", got)
	}
}
