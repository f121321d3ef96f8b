package safefile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const (
	nobody       = 65534
	attackIn     = "EBB_OUTPUT_ATTACK_IN"
	attackTarget = "EBB_OUTPUT_ATTACK_TARGET"
	attackLimit  = 30 * time.Second // whatever becomes of the test
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(attackIn); dir != "" {
		attack(dir, os.Getenv(attackTarget))
		return
	}
	os.Exit(m.Run())
}

// attack swaps, in a directory of the attacker's, the name that ebb writes and the directory that
// it is in, as fast as it can, for links to what only root may write, for pipes and for files. It
// ends with its input.
func attack(dir, target string) {
	time.AfterFunc(attackLimit, func() { os.Exit(1) })
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	file, sub, aside := filepath.Join(dir, "file"), filepath.Join(dir, "sub"), filepath.Join(dir,
		"aside")
	for i := 0; ; i++ {
		// Errors are expected: a step that fails in one round may work in the next.
		next := filepath.Join(dir, fmt.Sprintf("next%d", i%8))
		_ = os.Remove(next)
		switch i % 5 {
		case 0:
			_ = os.Symlink(filepath.Join(target, "precious"), next)
		case 1:
			_ = os.Symlink(filepath.Join(target, "created"), next)
		case 2:
			_ = unix.Mkfifo(next, 0o666)
		case 3:
			_ = os.Link(filepath.Join(target, "precious"), next)
		case 4:
			_ = os.WriteFile(next, []byte("the attacker's"), 0o666)
		}
		_ = os.Rename(next, file)
		_ = os.Rename(sub, aside)
		_ = os.Symlink(target, sub)
		_ = os.Remove(sub)
		_ = os.Rename(aside, sub)
		if drafts, _ := filepath.Glob(filepath.Join(dir, ".ebb-*")); i%16 == 0 {
			for _, d := range drafts {
				_ = os.Rename(next, d)
			}
		}
	}
}

// TestRaces has an unprivileged user change names and directories while root writes there. Nothing
// outside changes, nothing hangs, and what another user put there gives no report its mode.
func TestRaces(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can be made to write another user's file")
	}
	t.Setenv("SUDO_UID", "")
	base := t.TempDir()
	target, theirs, shared := filepath.Join(base, "target"), filepath.Join(base,
		"theirs"), filepath.Join(base, "shared")
	precious := filepath.Join(target, "precious")
	for _, d := range []string{target, theirs, shared, filepath.Join(theirs, "sub"),
		filepath.Join(shared, "sub")} {
		must(t, os.Mkdir(d, 0o755))
	}
	must(t, errors.Join(os.WriteFile(precious, []byte("kept"), 0o644), os.Chmod(precious, 0o644),
		os.Chmod(filepath.Dir(base), 0o755)))
	must(t, errors.Join(os.Chmod(shared, 0o777), os.Chown(theirs, nobody, nobody)))
	for _, dir := range []string{theirs, shared} {
		must(t, os.Chown(filepath.Join(dir, "sub"), nobody, nobody))
		stop := attacker(t, dir, target)
		end := time.Now().Add(2 * time.Second)
		tries, written := 0, 0
		for ; time.Now().Before(end); tries++ {
			for _, name := range []string{"file", "sub/file", "sub/deeper/file"} {
				path := filepath.Join(dir, name)
				if name == "sub/deeper/file" {
					_ = Directory(filepath.Dir(path))
				}
				if Whole(path, text("root's report")) == nil {
					written++
				}
				if f, err := Append(path); err == nil {
					_, _ = f.WriteString("line\n")
					f.Close()
				}
			}
		}
		stop()
		t.Logf("%s: %d rounds, %d files written", filepath.Base(dir), tries, written)
		has(t, precious, "kept")
		only(t, target, "precious")
		if info, err := os.Lstat(precious); err != nil || info.Mode() != 0o644 ||
			info.Sys().(*syscall.Stat_t).Uid != 0 {
			t.Errorf("what root has is now %v (%v)", info, err)
		}
		if written == 0 {
			t.Error("nothing was written, so nothing was tried")
		}
	}
}

// attacker starts the attack as nobody and returns what ends it.
func attacker(t *testing.T, dir, target string) (stop func()) {
	t.Helper()
	self, err := os.ReadFile("/proc/self/exe")
	must(t, err)
	copied := filepath.Join(t.TempDir(), "attacker") // the test's own may be where nobody can go
	must(t, errors.Join(os.WriteFile(copied, self, 0o755), os.Chmod(copied, 0o755),
		os.Chmod(filepath.Dir(copied), 0o755), os.Chmod(filepath.Dir(filepath.Dir(copied)), 0o755)))
	cmd := exec.Command(copied)
	cmd.Env = append(os.Environ(), attackIn+"="+dir, attackTarget+"="+target)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody,
		Gid: nobody}, Pdeathsig: syscall.SIGKILL}
	in, err := cmd.StdinPipe()
	must(t, err)
	must(t, cmd.Start())
	return func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the attacker: %v", err)
		}
	}
}

// A file that another user put in the place is replaced, and gives neither its mode nor its owner;
// links on the way are refused.
func TestOthers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make what another user made")
	}
	defer unix.Umask(unix.Umask(0o077))
	t.Setenv("SUDO_UID", "")
	dir, target := t.TempDir(), t.TempDir()
	precious := filepath.Join(target, "precious")
	must(t, os.WriteFile(precious, []byte("kept"), 0o600))
	path := filepath.Join(dir, "file")
	for name, make := range map[string]func() error{
		"a link":          func() error { return os.Symlink(precious, path) },
		"a dangling link": func() error { return os.Symlink(filepath.Join(target, "new"), path) },
		"a pipe":          func() error { return unix.Mkfifo(path, 0o666) },
		"a file": func() error {
			return errors.Join(os.WriteFile(path, []byte("theirs"),
				0o666), os.Chmod(path, 0o666))
		},
		"a hard link": func() error { return os.Link(precious, path) },
	} {
		_ = os.Remove(path)
		must(t, make())
		if name != "a hard link" {
			must(t, os.Lchown(path, nobody, nobody))
			if _, err := Append(path); err == nil {
				t.Errorf("%s is added to", name)
			}
		} else if _, err := Append(path); !errors.Is(err, errOthersFile) {
			t.Errorf("%s is added to: %v", name, err)
		}
		must(t, Whole(path, text("root's")))
		has(t, path, "root's")
		has(t, precious, "kept")
		only(t, target, "precious")
		if info, err := os.Lstat(path); err != nil || info.Mode() != 0o600 ||
			info.Sys().(*syscall.Stat_t).Uid != 0 {
			t.Errorf("%s: the file has %v (%v)", name, info.Mode(), err)
		}
	}
	// The caller's directory is the caller's business: a file in it keeps its owner, also when sudo
	// was called by another.
	must(t, os.Chown(dir, nobody, nobody))
	must(t, errors.Join(os.Chown(path, nobody, nobody), os.Chmod(path, 0o644)))
	must(t, Whole(path, text("for its owner")))
	if info, err := os.Lstat(path); err != nil || info.Mode() != 0o644 ||
		info.Sys().(*syscall.Stat_t).Uid != nobody {
		t.Errorf("the owner's file has %v (%v)", info, err)
	}
	must(t, os.Symlink(target, filepath.Join(dir, "way")))
	must(t, os.Lchown(filepath.Join(dir, "way"), nobody, nobody))
	if err := Whole(filepath.Join(dir, "way", "new"), text("x")); !errors.Is(err, errOthersLink) {
		t.Errorf("through another user's link: %v", err)
	}
	if err := Directory(filepath.Join(dir, "way", "new")); !errors.Is(err, errOthersLink) {
		t.Errorf("a directory through another user's link: %v", err)
	}
	// Root's own link is no better there.
	must(t, os.Symlink(target, filepath.Join(dir, "moved")))
	must(t, os.Symlink(precious, filepath.Join(dir, "last")))
	for _, mode := range []os.FileMode{0o700, 0o777, 0o777 | os.ModeSticky} {
		must(t, os.Chmod(dir, mode))
		err := Whole(filepath.Join(dir, "moved", "new"), text("x"))
		if !errors.Is(err, errOthersLink) {
			t.Errorf("through root's link in another user's directory (%v): %v", mode, err)
		}
	}
	must(t, Whole(filepath.Join(dir, "last"), text("in its place")))
	has(t, precious, "kept")
	only(t, target, "precious")
	t.Setenv("SUDO_UID", fmt.Sprint(nobody))
	must(t, Whole(filepath.Join(dir, "way", "new"), text("sudo's caller made the link")))
	only(t, target, "new", "precious")
	// Temporary files are not looked for by name where another user could have put his own.
	t.Setenv("TMPDIR", dir)
	if _, err := TemporaryDirectory(); !errors.Is(err, nil) {
		t.Errorf("in the caller's own directory: %v", err)
	}
	t.Setenv("SUDO_UID", "")
	if _, err := TemporaryDirectory(); !errors.Is(err, errOpenDirectory) {
		t.Errorf("in another user's directory: %v", err)
	}
}

// A full disk leaves the old file whole, and nothing beside it.
func TestFullDisk(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("mounting needs root")
	}
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("no file system to fill: %v", err)
	}
	defer func() { must(t, unix.Unmount(dir, 0)) }()
	path := filepath.Join(dir, "file")
	must(t, Whole(path, text("small")))
	if err := Whole(path, text(string(make([]byte, 1<<20)))); !errors.Is(err, unix.ENOSPC) {
		t.Errorf("1 MiB on 64 KiB: %v", err)
	}
	has(t, path, "small")
	if err := Whole(filepath.Join(dir, "other"), text(string(make([]byte, 1<<20)))); !errors.Is(err,
		unix.ENOSPC) {
		t.Errorf("1 MiB on 64 KiB: %v", err)
	}
	only(t, dir, "file")
}
