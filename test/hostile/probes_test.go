package hostile

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// answerCode returns 0x90909090: the bytes of the number are also instructions, so that the kernel
// accepts a probe there.
var answerCode = []byte{0xb8, 0x90, 0x90, 0x90, 0x90, 0xc3}

const answer = "90909090"

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

// victim FILE LOG SECONDS ANSWER is a program of root's that calls code of a file, and says when
// that answers anything but what it has to.
func victim(args []string) {
	code := mapAt(args[0], 0, loaded, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE)
	c := &closure{code: code + codeAt}
	f := *(*func() uint32)(unsafe.Pointer(&c))
	want, err := strconv.ParseUint(args[3], 16, 32)
	check(err)
	end := time.Now().Add(seconds(args[2]))
	for ; time.Now().Before(end); time.Sleep(time.Millisecond) {
		if got := f(); got != uint32(want) {
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
	argv := attacker("victim", file, log, "30", answer)
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
	args := append(append([]string{"run"}, b.machine()...), "--collector-phases", "--duration",
		"500ms", "--pid", strconv.Itoa(pid))
	return b.start(t, append(args, flags...)...)
}

// attackProbeSwapped: the target exchanges the file between ebb's reading it and the kernel's
// attaching to it.
func attackProbeSwapped(t *testing.T) {
	b := lay(t)
	file, log := bystander(t, b)
	lib, link := b.crafted("libjvm.so"), b.crafted("link")
	craft(t, lib, section{name: ".note.stapsdt", kind: elf.SHT_NOTE,
		data: append(probeNotes(codeAt+1), emptyNotes(64<<20)...)})
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
	file := filepath.Join(b.own, "service.so") // which has probes, too
	craftCode(t, file, answerCode,
		section{name: ".note.stapsdt", kind: elf.SHT_NOTE, data: probeNotes(codeAt + 1)})
	must(t, os.Chmod(b.own, 0o755))
	log := filepath.Join(b.own, "changed")
	argv := attacker("victim", file, log, "30", answer)
	cmd := exec.Command(argv[0], argv[1:]...)
	must(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	other := b.crafted("other")
	must(t, os.Symlink(file, other))
	b.exchanged(t, other)
	absent(t, log)
}

// attackProbeNoNop: the target's own file has its probe in the middle of an instruction, and no nop
// there.
func attackProbeNoNop(t *testing.T) {
	b := lay(t)
	lib, log := b.crafted("libjvm.so"), b.crafted("changed")
	code := bytes.Clone(answerCode)
	// xor %eax,%eax: an instruction, and none of a probe
	copy(code[1:], []byte{0x31, 0xc0, 0x31, 0xc0})
	craftCode(t, lib, code, section{name: ".note.stapsdt", kind: elf.SHT_NOTE,
		data: probeNotes(codeAt + 1)})
	target := hostile(t, b, attacker("victim", lib, log, "20", "c031c031"))
	time.Sleep(300 * time.Millisecond)
	before, err := os.ReadFile(lib)
	must(t, err)
	absent(t, log)
	r := b.probed(t, target.Process.Pid)
	r.finish(10 * time.Second)
	keeps(t, lib, string(before))
	absent(t, log)
}

// attackProbeFIFO: in place of the file is a FIFO.
func attackProbeFIFO(t *testing.T) {
	b := lay(t)
	other := b.crafted("other")
	must(t, unix.Mkfifo(other, 0o666))
	b.exchanged(t, other)
}

// exchange A B SECONDS READY maps A, and keeps exchanging the names of A and B: half of the time
// the mapped file has the name A.
func exchange(args []string) {
	mapAt(args[0], 0, loaded, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE)
	ready(args[3])
	end := time.Now().Add(seconds(args[2]))
	for ; time.Now().Before(end); time.Sleep(20 * time.Microsecond) {
		check(unix.Renameat2(unix.AT_FDCWD, args[0], unix.AT_FDCWD, args[1], unix.RENAME_EXCHANGE))
	}
}

// exchanged has ebb follow the collector of processes whose libjvm.so is another thing each time
// that somebody looks.
func (b *bed) exchanged(t *testing.T, other string) {
	t.Helper()
	chown(t, other)
	lib, at := b.crafted("libjvm.so"), b.crafted("ready")
	craft(t, lib, section{name: ".note.stapsdt", kind: elf.SHT_NOTE, data: probeNotes(codeAt + 1)})
	target := hostile(t, b, attacker("exchange", lib, other, "60", at))
	awaitFile(t, at)
	for range 12 {
		r := b.probed(t, target.Process.Pid)
		if r.finish(6 * time.Second); t.Failed() {
			return
		}
	}
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
