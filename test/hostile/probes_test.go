package hostile

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// answerCode returns 0x90909090: the bytes of the number are instructions, too, so that the kernel takes a probe there.
var answerCode = []byte{0xb8, 0x90, 0x90, 0x90, 0x90, 0xc3}

const answer = 0x90909090

// probeNotes are the notes of a JVM's probes for its collector, all at one place.
func probeNotes(location uint64) (b []byte) {
	for _, name := range []string{"gc__begin", "gc__end"} {
		var desc []byte
		for _, v := range []uint64{location, 0, 0} {
			desc = binary.LittleEndian.AppendUint64(desc, v)
		}
		desc = append(desc, "hotspot\x00"+name+"\x00\x00"...)
		for _, v := range []uint32{8, uint32(len(desc)), 3} {
			b = binary.LittleEndian.AppendUint32(b, v)
		}
		b = append(append(b, "stapsdt\x00"...), desc...)
		for len(b)%4 != 0 {
			b = append(b, 0)
		}
	}
	return b
}

// emptyNotes are notes of nobody, which take time to read.
func emptyNotes(size int) []byte { return bytes.Repeat(make([]byte, 12), size/12) }

// victim FILE LOG SECONDS is a program of root's that calls code of a file, and says when that answers anything but what it has to.
func victim(args []string) {
	code := mapAt(args[0], 0, loaded, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE)
	c := &closure{code: code + codeAt}
	f := *(*func() uint32)(unsafe.Pointer(&c))
	for end := time.Now().Add(seconds(args[2])); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if got := f(); got != answer {
			check(os.WriteFile(args[1], []byte(strconv.FormatUint(uint64(got), 16)), 0o600))
			return
		}
	}
}

// bystander starts a root program of a file that nobody may not write to.
func bystander(t *testing.T, b *bed) (file, log string) {
	t.Helper()
	file, log = filepath.Join(b.own, "service.so"), filepath.Join(b.own, "changed")
	craftCode(t, file, answerCode)
	must(t, os.Lchown(file, 0, 0))
	must(t, os.Chmod(b.own, 0o755))
	argv := attacker("victim", file, log, "30")
	cmd := exec.Command(argv[0], argv[1:]...)
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return file, log
}

// swapper LIB LINK SECONDS READY maps LIB, and renames LINK over it when somebody opens it.
func swapper(args []string) {
	mapAt(args[0], 0, loaded, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE)
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
	check(err)
	_, err = unix.InotifyAddWatch(fd, args[0], unix.IN_OPEN)
	check(err)
	ready(args[3])
	go func() {
		_, _ = unix.Read(fd, make([]byte, 4096))
		check(os.Rename(args[1], args[0]))
	}()
	burn(seconds(args[2]))
}

// probed has ebb follow the collector of a hostile process.
func (b *bed) probed(t *testing.T, pid int, flags ...string) *running {
	t.Helper()
	args := append(append([]string{"run"}, b.machine()...), "--collector-phases", "--duration", "1s", "--pid", strconv.Itoa(pid))
	return b.start(t, append(args, flags...)...)
}

// attackProbeSwapped: the target exchanges the file between ebb's reading it and the kernel's attaching to it.
func attackProbeSwapped(t *testing.T) {
	b := lay(t)
	file, log := bystander(t, b)
	lib, link := b.crafted("libjvm.so"), b.crafted("link")
	craft(t, lib, section{name: ".note.stapsdt", kind: elf.SHT_NOTE, data: append(probeNotes(codeAt+1), emptyNotes(64<<20)...)})
	must(t, os.Symlink(file, link))
	chown(t, link)
	at := b.crafted("ready")
	target := hostile(t, b, attacker("swapper", lib, link, "20", at))
	awaitFile(t, at)
	r := b.probed(t, target.Process.Pid)
	r.finish(10 * time.Second)
	absent(t, log)
}

// attackProbeLink: the file that the target has mapped is by its name a link to a file of the host.
func attackProbeLink(t *testing.T) {
	b := lay(t)
	file := filepath.Join(b.own, "service.so")
	craftCode(t, file, answerCode, section{name: ".note.stapsdt", kind: elf.SHT_NOTE, data: probeNotes(codeAt + 1)})
	must(t, os.Chmod(b.own, 0o755))
	log := filepath.Join(b.own, "changed")
	argv := attacker("victim", file, log, "30")
	cmd := exec.Command(argv[0], argv[1:]...)
	must(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	lib, at := b.crafted("libjvm.so"), b.crafted("ready")
	craft(t, lib)
	target := hostile(t, b, attacker("within", lib, "20", "none", at))
	awaitFile(t, at)
	must(t, os.Remove(lib))
	must(t, os.Symlink(file, lib))
	chown(t, lib)
	b.probed(t, target.Process.Pid).finish(10 * time.Second)
	absent(t, log)
}

// attackProbeNoNop: the target's own file has its probe in the middle of an instruction, and no nop there.
func attackProbeNoNop(t *testing.T) {
	b := lay(t)
	lib, log := b.crafted("libjvm.so"), b.crafted("changed")
	code := bytes.Clone(answerCode)
	copy(code[1:], []byte{0x31, 0xc0, 0x31, 0xc0}) // xor %eax,%eax: an instruction, and none of a probe
	craftCode(t, lib, code, section{name: ".note.stapsdt", kind: elf.SHT_NOTE, data: probeNotes(codeAt + 1)})
	target := hostile(t, b, attacker("victim", lib, log, "20"))
	time.Sleep(300 * time.Millisecond)
	must(t, os.RemoveAll(log)) // it answers something else from the begin on
	_ = target
	before, err := os.ReadFile(lib)
	must(t, err)
	r := b.probed(t, target.Process.Pid)
	r.finish(10 * time.Second)
	keeps(t, lib, string(before))
}

// attackProbeFIFO: in place of the file is a FIFO.
func attackProbeFIFO(t *testing.T) {
	b := lay(t)
	lib, at := b.crafted("libjvm.so"), b.crafted("ready")
	craft(t, lib)
	target := hostile(t, b, attacker("within", lib, "30", "none", at))
	awaitFile(t, at)
	must(t, os.Remove(lib))
	must(t, unix.Mkfifo(lib, 0o666))
	b.probed(t, target.Process.Pid).finish(6 * time.Second)
}

// attackProbeNotes: the file has a section of notes of 200 GB, which take no place on the disk.
func attackProbeNotes(t *testing.T) {
	b := lay(t)
	lib, at := b.crafted("libjvm.so"), b.crafted("ready")
	craft(t, lib, section{name: ".note.stapsdt", kind: elf.SHT_NOTE, size: 200 << 30})
	target := hostile(t, b, attacker("within", lib, "30", "none", at))
	awaitFile(t, at)
	b.probed(t, target.Process.Pid).finish(8 * time.Second)
}

var _ = syscall.SIGTERM
