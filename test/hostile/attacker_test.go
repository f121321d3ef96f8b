package hostile

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// maxLife ends every hostile program, whatever becomes of its test; maxAddresses bounds the memory
// of one.
const (
	maxLife      = 90 * time.Second
	maxAddresses = 8 << 30
)

// roles are the hostile programs that are this executable, by name.
var roles map[string]func(args []string)

func init() {
	roles = map[string]func([]string){
		"spin": spin, "within": within, "silent": silent, "family": family, "deaf": deaf,
		"swapper": swapper, "victim": victim, "mappings": mappings, "chain": chain,
		"segments": segments, "stacks": deepStacks, "perfmap": perfMap, "named": named,
		"flip": flip, "flipsocket": flipSocket, "bomb": bomb, "execs": execs, "crowd": crowd,
		"shrink": shrink, "replace": replaceFile, "stray": stray, "descriptors": descriptors,
		"killer": killer, "tracer": tracer, "stopped": stopped, "hog": hog, "jailed": jailed,
		"jailedmachine": jailedMachine, "typist": typist, "keys": keys, "withkey": withKey,
		"starver": starver,
		"forger":  forger, "exchange": exchange, "nobody": asNobody,
		"asked": asked, "scribble": scribble, "rings": forgeRings,
		"markflood": markFlood, "markthief": markThief, "markcrowd": markCrowd,
	}
}

func attackerMain(args []string) {
	role := roles[args[0]]
	if role == nil {
		fmt.Fprintln(os.Stderr, "no such role:", args)
		os.Exit(125)
	}
	if !raced {
		_ = unix.Setrlimit(unix.RLIMIT_AS, &unix.Rlimit{Cur: maxAddresses, Max: maxAddresses})
	}
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
	time.AfterFunc(maxLife, func() { os.Exit(124) })
	role(args[1:])
}

// check ends a hostile program that cannot do its part: its test would show nothing.
func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "attacker:", err)
		os.Exit(126)
	}
}

// asNobody ROLE ARGS... takes up a role as nobody, where ebb runs as root and there is no list of
// users.
func asNobody(args []string) {
	check(syscall.Setgroups(nil))
	check(syscall.Setresgid(nobody, nobody, nobody))
	check(syscall.Setresuid(nobody, nobody, nobody))
	roles[args[0]](args[1:])
}

func seconds(s string) time.Duration {
	f, err := strconv.ParseFloat(s, 64)
	check(err)
	return time.Duration(f * float64(time.Second))
}

// numbers are a hostile program's random numbers, the same in every run.
func numbers() *rand.Rand { return rand.New(rand.NewPCG(1, 0)) }

// burn uses a CPU for so long.
func burn(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
		for i := 0; i < 1000; i++ {
			sink += i
		}
	}
}

var sink int

// spin SECONDS does nothing bad.
func spin(args []string) { burn(seconds(args[0])) }

// family N ROLE ARGS... runs N programs of a role.
func family(args []string) {
	n, err := strconv.Atoi(args[0])
	check(err)
	var all []*exec.Cmd
	for range n {
		c := exec.Command(os.Args[0], args[1:]...)
		c.Stdout, c.Stderr = os.Stdout, os.Stderr
		check(c.Start())
		all = append(all, c)
	}
	var left sync.WaitGroup
	for _, c := range all {
		left.Go(func() { _ = c.Wait() }) // each at once, so that its id is free
	}
	left.Wait()
}

// deaf SECONDS ignores TERM, INT and HUP, and says when it does.
func deaf(args []string) {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	burn(seconds(args[0]))
}

// stopped SECONDS works for that long and stops itself.
func stopped(args []string) {
	burn(seconds(args[0]))
	_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
}

// hog MIB SECONDS takes memory a little at a time.
func hog(args []string) {
	n, err := strconv.Atoi(args[0])
	check(err)
	for range n {
		b, err := unix.Mmap(-1, 0, 1<<20, unix.PROT_READ|unix.PROT_WRITE,
			unix.MAP_ANON|unix.MAP_PRIVATE)
		check(err)
		for i := 0; i < len(b); i += 4096 {
			b[i] = 1
		}
		time.Sleep(2 * time.Millisecond)
	}
	burn(seconds(args[1]))
}

// mapAt maps a file with these rights, at an address if it is not 0.
func mapAt(path string, at, length uintptr, prot int, flags int) uintptr {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	check(err)
	defer unix.Close(fd)
	p, err := mmap(at, length, prot, flags, fd)
	check(err)
	return p
}

func mmap(at, length uintptr, prot, flags, fd int) (uintptr, error) {
	if at != 0 {
		flags |= unix.MAP_FIXED_NOREPLACE
	}
	p, _, errno := unix.Syscall6(unix.SYS_MMAP, at, length, uintptr(prot), uintptr(flags),
		uintptr(fd), 0)
	if errno != 0 {
		return 0, errno
	}
	return p, nil
}

// stub is code that counts down with a stack of the caller's making: what samples then find there
// is what the caller put there.
//
//	push %rbp; mov %rsp,%r11; mov 24(%rdx),%rcx; mov 16(%rdx),%rbp; mov 8(%rdx),%rsp
//	1: dec %rcx; jnz 1b; mov %r11,%rsp; pop %rbp; ret
var stub = []byte{
	0x55, 0x49, 0x89, 0xe3, 0x48, 0x8b, 0x4a, 0x18, 0x48, 0x8b, 0x6a, 0x10, 0x48, 0x8b, 0x62, 0x08,
	0x48, 0xff, 0xc9, 0x75, 0xfb, 0x4c, 0x89, 0xdc, 0x5d, 0xc3,
}

// closure is how Go calls a function value: its code, and what it finds by RDX.
type closure struct{ code, sp, bp, loops uintptr }

// perLook is the number of loops that a stub runs: some 20 ms.
const perLook = 30_000_000

func call(code, sp, bp, loops uintptr) {
	c := &closure{code, sp, bp, loops}
	(*(*func())(unsafe.Pointer(&c)))()
}

// fakeStack is memory for a stack of the attacker's making; what is below it belongs to it too.
func fakeStack() (base uintptr, words []uint64) {
	const below, above = 64 << 10, 64 << 10
	p, err := mmap(0, below+above, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE,
		-1)
	check(err)
	base = p + below
	// The kernel copies only pages that exist: touch them all, including the red zone's.
	all := unsafe.Slice((*byte)(pointer(p)), below+above)
	for i := 0; i < len(all); i += 4096 {
		all[i] = 1
	}
	return base, unsafe.Slice((*uint64)(pointer(base)), above/8)
}

// pointer is a pointer to what mmap has given.
func pointer(p uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }

// frames is the number of a stack's frames; ebb walks no more.
const frames = 512

// returns fills a stack with return addresses alone, chained with frame pointers and return
// addresses.
func returns(words []uint64, address func() uint64) {
	for i := range frames {
		words[i] = address()
	}
}

func chained(base uintptr, words []uint64, address func() uint64) {
	for i := range frames {
		words[2*i] = uint64(base) + 16*uint64(i+1)
		words[2*i+1] = address()
	}
	words[2*frames], words[2*frames+1] = 0, 0
}

// hostile starts a hostile program as nobody, apart from ebb, in a directory of its own.
func hostile(t *testing.T, b *bed, argv []string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = b.dir
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true,
		Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
	})
	return cmd
}

// awaitFile waits until a hostile program has made a file.
func awaitFile(t *testing.T, path string) {
	t.Helper()
	for end := time.Now().Add(devtest.Hung); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Lstat(path); err == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("the attacker has not made %s", path)
		}
	}
}

// ready says that the attack is laid.
func ready(path string) {
	if path != "" {
		check(os.WriteFile(path, nil, 0o644))
	}
}
