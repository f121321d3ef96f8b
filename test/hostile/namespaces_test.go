package hostile

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// buildID is a note with an id of twenty bytes.
func buildID() []byte {
	b := []byte{4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0}
	for i := range 20 {
		b = append(b, byte(0xa0+i))
	}
	return b
}

const debugFile = "usr/lib/debug/.build-id/a0/a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3.debug"

// jailed ROOT FILE SECONDS executes a file in a root tree of its own.
func jailed(args []string) {
	check(unix.Chroot(args[0]))
	check(os.Chdir("/"))
	check(unix.Setresgid(nobody, nobody, nobody))
	check(unix.Setresuid(nobody, nobody, nobody))
	within([]string{args[1], args[2], "none"})
}

// inJail has ebb look at a program in a root tree of its own, whose symbols are kept apart at a
// place that lay makes something of.
func inJail(t *testing.T, lay_ func(b *bed, root, at string)) *running {
	b := lay(t)
	root := filepath.Join(b.dir, "root")
	must(t, os.MkdirAll(filepath.Join(root, filepath.Dir(debugFile)), 0o755))
	craft(t, filepath.Join(root, "evil.so"),
		section{name: ".note.gnu.build-id", kind: elf.SHT_NOTE, data: buildID()})
	lay_(b, root, filepath.Join(root, debugFile))
	args := append(append([]string{"run", "--methods", "--report", filepath.Join(b.own, "r.json")},
		b.machine()...), "--")
	r := b.start(t, append(args, attacker("jailed", root, "/evil.so", "1.5")...)...)
	r.finish(15 * time.Second)
	return r
}

// watchOpened says whether somebody opens a file.
func watchOpened(t *testing.T, path string) (opened func() bool) {
	t.Helper()
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	must(t, err)
	t.Cleanup(func() { unix.Close(fd) })
	_, err = unix.InotifyAddWatch(fd, path, unix.IN_OPEN|unix.IN_ACCESS)
	must(t, err)
	return func() bool {
		n, _ := unix.Read(fd, make([]byte, 4096))
		return n > 0
	}
}

// attackDebugFIFO: where the symbols would be is a FIFO.
func attackDebugFIFO(t *testing.T) {
	inJail(t, func(_ *bed, _, at string) { must(t, unix.Mkfifo(at, 0o666)) })
}

// attackDebugDevice: where the symbols would be is a device, which opening alone may set to work.
func attackDebugDevice(t *testing.T) {
	var opened func() bool
	inJail(t, func(_ *bed, _, at string) {
		if err := unix.Mknod(at, unix.S_IFCHR|0o666, int(unix.Mkdev(1, 5))); err != nil {
			t.Skip("no devices can be made: ", err)
		}
		opened = watchOpened(t, at)
	})
	if opened() {
		t.Error("ebb opened a device that the program named")
	}
}

// attackDebugLink: where the symbols would be is a link out of the program's root, to a file of
// root's.
func attackDebugLink(t *testing.T) {
	for _, up := range []string{"", "../../../../../../../.."} {
		var opened func() bool
		inJail(t, func(b *bed, _, at string) {
			secret := b.secret(t, "secret", "")
			craft(t, secret, append([]section{{name: ".note.gnu.build-id", kind: elf.SHT_NOTE,
				data: buildID()}}, symbolTable(3, "secret_name")...)...)
			must(t, os.Lchown(secret, 0, 0))
			must(t, os.Chmod(secret, 0o600))
			must(t, os.Symlink(up+secret, at))
			opened = watchOpened(t, secret)
		})
		if opened() {
			t.Error("ebb followed a link out of the program's root")
		}
	}
}

// attackDebugBomb: where the symbols would be is a file of 200 GB that takes no place, without an
// id, so that a sum is to be made.
func attackDebugBomb(t *testing.T) {
	inJail(t, func(_ *bed, root, at string) {
		craft(t, at, append([]section{{name: ".rest", kind: elf.SHT_PROGBITS, size: 200 << 30}},
			symbolTable(3, "f")...)...)
		link := binary.LittleEndian.AppendUint32([]byte("evil.debug\x00\x00"), 0)
		craft(t, filepath.Join(root, "evil.so"),
			section{name: ".note.gnu.build-id", kind: elf.SHT_NOTE, data: buildID()},
			section{name: ".gnu_debuglink", kind: elf.SHT_PROGBITS, data: link})
	})
}

// attackOtherProc: the program has namespaces of its own, and something else mounted at its /proc.
func attackOtherProc(t *testing.T) {
	b := lay(t)
	fake := filepath.Join(b.dir, "proc")
	for _, pid := range []string{"1", "2", "self", "4711"} {
		must(t, os.MkdirAll(filepath.Join(fake, pid), 0o755))
		must(t, unix.Mkfifo(filepath.Join(fake, pid, "maps"), 0o666))
		must(t, unix.Mkfifo(filepath.Join(fake, pid, "mem"), 0o666))
		must(t, os.Symlink("/", filepath.Join(fake, pid, "root")))
	}
	must(t, unix.Mkfifo(filepath.Join(fake, "stat"), 0o666))
	must(t, unix.Mkfifo(filepath.Join(fake, "kallsyms"), 0o666))
	script := fmt.Sprintf(
		"mount --bind %q /proc && exec setpriv --reuid %d --regid %d --clear-groups %s",
		fake, nobody, nobody, "sh -c 'i=0; while [ $i -lt 1500000 ]; do i=$((i+1)); done'",
	)
	if _, err := exec.LookPath("unshare"); err != nil {
		t.Skip("no unshare")
	}
	args := append(append([]string{"run", "--methods", "--report", filepath.Join(b.own, "r.json")},
		b.machine()...), "--")
	r := b.start(t, append(args, "unshare", "--mount", "--pid", "--fork", "--propagation",
		"private", "sh", "-c", script)...)
	r.finish(15 * time.Second)
	if r.within(0) && r.cmd.ProcessState.ExitCode() != 0 {
		t.Errorf("%v: %s", r.cmd.ProcessState, r.stderr())
	}
}

// attackMappedDevice: the program executes memory of a device.
func attackMappedDevice(t *testing.T) {
	b := lay(t)
	device := b.crafted("libjvm.so")
	if err := unix.Mknod(device, unix.S_IFCHR|0o666, int(unix.Mkdev(1, 5))); err != nil {
		t.Skip("no devices can be made: ", err)
	}
	chown(t, device)
	// It executes its own file, in whose place the device then is.
	lib := b.crafted("lib")
	craft(t, lib)
	must(t, os.Rename(device, b.crafted("device")))
	must(t, os.Rename(lib, device))
	opened := watchOpened(t, b.crafted("device"))
	r := b.sampled(t, attacker("replace", device, b.crafted("device"), "1.5"),
		"--collector-phases=auto")
	r.finish(15 * time.Second)
	if opened() {
		t.Error("ebb opened a device that the program put in place of its file")
	}
}
