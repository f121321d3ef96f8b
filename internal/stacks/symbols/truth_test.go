//go:build amd64

package symbols

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/stacks/unwind"
)

// nestingSource calls and is called in each way there is, between two breakpoints.
const nestingSource = `
#define _GNU_SOURCE
#include <alloca.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#define NOINLINE __attribute__((noinline, noclone))

volatile unsigned sum;

static NOINLINE unsigned leaf(unsigned n) { return n * 2654435761u ^ n >> 7; }

static NOINLINE unsigned framed(unsigned n) {
	volatile unsigned a[40];
	for (int i = 0; i < 40; i++) a[i] = leaf(n + i);
	return a[n % 40];
}

static NOINLINE unsigned recurse(unsigned n) { return n ? recurse(n - 1) * 3 + leaf(n) : framed(n); }

static NOINLINE unsigned sized(unsigned n) {
	volatile char *p = alloca(n);
	for (unsigned i = 0; i < n; i++) p[i] = leaf(i);
	return leaf(p[n / 2]);
}

static NOINLINE unsigned aligned(unsigned n) {
	_Alignas(128) volatile unsigned a[32];
	volatile char *p = alloca(n);
	p[0] = a[n % 32] = leaf(n);
	return leaf(a[n % 32]) + sized(n) + p[0];
}

/* Leaves in two places, of which one has restored its registers. */
static NOINLINE unsigned early(unsigned n, unsigned m) {
	unsigned a = leaf(n), b = leaf(m), c = leaf(n + m);
	if (a & 1) return b;
	return framed(a) + framed(b) + framed(c);
}

/* Uses the frame pointer's register for something else. */
static NOINLINE unsigned clobbers(unsigned n) {
	asm volatile("movl $0x1234, %%ebp" ::: "rbp");
	return leaf(n) + recurse(2);
}

static NOINLINE unsigned tail(unsigned n) { sum++; return framed(n + 1); }

static int compare(const void *a, const void *b) { return (int)leaf(*(unsigned *)a) < (int)leaf(*(unsigned *)b) ? -1 : 1; }

static void on_signal(int s) { sum += recurse(2) + s; }

static void compressed(void) {
	unsigned char in[120], out[300];
	z_stream z = {.next_in = in, .avail_in = sizeof in, .next_out = out, .avail_out = sizeof out};
	for (unsigned i = 0; i < sizeof in; i++) in[i] = leaf(i / 3);
	sum += deflateInit2(&z, 6, Z_DEFLATED, 9, 1, Z_FIXED) + deflate(&z, Z_FINISH) + deflateEnd(&z);
}

static NOINLINE void all(void) {
	char text[100];
	unsigned list[20];
	struct timespec now;

	asm volatile("int3");
	sum += recurse(5) + sized(50) + aligned(40) + early(1, 2) + early(2, 3) + early(3, 4) + tail(3);
	for (unsigned i = 0; i < 20; i++) list[i] = leaf(i);
	qsort(list, 20, sizeof *list, compare);
	clock_gettime(CLOCK_MONOTONIC, &now);
	raise(SIGUSR1);
	sum += getppid() + snprintf(text, sizeof text, "%.3f %s", 1.5, "text");
	free(strdup(text));
#ifndef FRAMES
	sum += clobbers(3);
#endif
	asm volatile("int3");
	compressed();
	asm volatile("int3");
}

int main(void) {
	signal(SIGUSR1, on_signal);
	all();
	return 0;
}
`

// stepped is a program that is run instruction by instruction. It knows the return addresses on its
// stack from the calls and returns that were executed.
type stepped struct {
	t       testing.TB
	pid     int
	memory  *os.File
	regs    syscall.PtraceRegs
	returns []uint64 // the innermost last
	kinds   map[uint64]int
	stack   []byte
}

// The effects of an instruction on the stack of calls.
const (
	plain = iota
	call
	ret
	system
	breakpoint
)

// launch starts the program and stops it at its first breakpoint.
func launch(t testing.TB, path string) *stepped {
	t.Helper()
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	cmd := exec.Command(path)
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); err != nil {
		t.Skip("cannot trace a program: ", err)
	}
	s := &stepped{t: t, pid: cmd.Process.Pid, kinds: map[uint64]int{}, stack: make([]byte, 16<<10)}
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() }) // it did what it is for
	if _, err := syscall.Wait4(s.pid, nil, 0, nil); err != nil {
		t.Fatal(err)
	}
	var err error
	if s.memory, err = os.Open(fmt.Sprintf("/proc/%d/mem", s.pid)); err != nil {
		t.Skip("cannot read a traced program: ", err)
	}
	t.Cleanup(func() { _ = s.memory.Close() })
	s.resume()
	return s
}

// resume has the program run to its next breakpoint.
func (s *stepped) resume() {
	s.t.Helper()
	if err := syscall.PtraceCont(s.pid, 0); err != nil {
		s.t.Fatal(err)
	}
	if sig := s.wait(); sig != syscall.SIGTRAP {
		s.t.Fatalf("stopped by %v, not by its breakpoint", sig)
	}
}

func (s *stepped) wait() syscall.Signal {
	s.t.Helper()
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(s.pid, &status, 0, nil); err != nil || !status.Stopped() {
		s.t.Fatalf("status %#x, %v", status, err)
	}
	if err := syscall.PtraceGetRegs(s.pid, &s.regs); err != nil {
		s.t.Fatal(err)
	}
	return status.StopSignal()
}

func (s *stepped) read(b []byte, addr uint64) int {
	n, _ := unix.Pread(int(s.memory.Fd()), b, int64(addr)) // less at the end of a mapping
	return max(n, 0)
}

func (s *stepped) word(addr uint64) uint64 {
	var b [8]byte
	s.read(b[:], addr)
	return binary.LittleEndian.Uint64(b[:])
}

// kind returns the effect of the instruction at an address.
func (s *stepped) kind(addr uint64) int {
	if k, ok := s.kinds[addr]; ok {
		return k
	}
	var code [16]byte
	s.read(code[:], addr)
	b := code[:]
	for b[0] == 0xf2 || b[0] == 0xf3 || b[0] == 0x3e || b[0]&0xf0 == 0x40 {
		b = b[1:]
	}
	k := plain
	switch {
	case b[0] == 0xe8 || b[0] == 0xff && b[1]>>3&7 == 2:
		k = call
	case b[0] == 0xc3 || b[0] == 0xc2:
		k = ret
	case b[0] == 0x0f && b[1] == 0x05:
		k = system
	case b[0] == 0xcc:
		k = breakpoint
	}
	s.kinds[addr] = k
	return k
}

// step executes an instruction, and says whether it was not a breakpoint.
func (s *stepped) step() bool {
	s.t.Helper()
	before := s.regs
	kind := s.kind(before.Rip)
	var deliver syscall.Signal
	for first := true; ; first = false {
		// PtraceSingleStep of package syscall delivers no signal.
		if _, _, e := syscall.RawSyscall6(syscall.SYS_PTRACE, syscall.PTRACE_SINGLESTEP,
			uintptr(s.pid), 0, uintptr(deliver), 0, 0); e != 0 {
			s.t.Fatal(e)
		}
		interrupted := s.regs.Rip
		sig := s.wait()
		if deliver != 0 {
			// the kernel's frame, whose return address ends it
			s.returns = append(s.returns, interrupted+1, s.word(s.regs.Rsp))
			return true
		}
		if sig == syscall.SIGTRAP {
			break
		}
		deliver = sig
		if !first {
			s.t.Fatalf("a second signal, %v", sig)
		}
	}
	switch kind {
	case call:
		s.returns = append(s.returns, s.word(s.regs.Rsp))
	case ret:
		if len(s.returns) == 0 || s.returns[len(s.returns)-1] != s.regs.Rip {
			s.t.Fatalf("%#x returns to %#x, which no call is before", before.Rip, s.regs.Rip)
		}
		s.returns = s.returns[:len(s.returns)-1]
	case system:
		if before.Rax == syscall.SYS_RT_SIGRETURN {
			s.returns = s.returns[:len(s.returns)-1]
		}
	}
	return kind != breakpoint
}

// thread is what the sampler would see. Without a chain of frame pointers, everything has to come
// of the tables.
func (s *stepped) thread() *unwind.Thread {
	r := &s.regs
	const redZone = 128
	n := s.read(s.stack, r.Rsp-redZone)
	return &unwind.Thread{
		Registers: unwind.Registers{
			r.Rax, r.Rdx, r.Rcx, r.Rbx, r.Rsi, r.Rdi, r.Rbp, r.Rsp, r.R8, r.R9, r.R10, r.R11, r.R12,
			r.R13, r.R14, r.R15, r.Rip,
		},
		Base: r.Rsp - redZone, Stack: s.stack[:n],
	}
}

// vdsoOf is where the kernel's own code lies in an image.
func vdsoOf(t *testing.T, r *resolver, i Image) mapping {
	t.Helper()
	maps, _, err := r.mapsOf(i)
	if err != nil {
		t.Fatal(err)
	}
	n := slices.IndexFunc(maps, func(m mapping) bool { return m.Path == "[vdso]" })
	if n < 0 {
		t.Fatalf("no vDSO: %+v", maps)
	}
	return maps[n]
}

// TestTruth runs a program instruction by instruction, and after each the stack that is found has
// all return addresses of the calls that were executed, and no others: in prologues and epilogues,
// leaf functions, recursion, callbacks out of the C library, a signal handler, the linker's stubs
// and resolver, the kernel's own code and zlib.
func TestTruth(t *testing.T) {
	for name, flags := range map[string]string{
		"without frame pointers": "-O2 -fomit-frame-pointer",
		"with frame pointers":    "-O1 -fno-omit-frame-pointer -Wl,-z,now -DFRAMES",
		"static":                 "-O3 -fomit-frame-pointer -static",
	} {
		t.Run(name, func(t *testing.T) {
			s := launch(t, nesting(t, flags))
			r, _ := newLocal(t)
			image := r.image(s.pid)
			start := r.Unwind(image, s.thread(), 0)
			if start.End != unwind.Whole || len(start.Frames) < 4 {
				t.Fatalf("at the breakpoint: end %d of %x", start.End, start.Frames)
			}
			base := slices.Clone(start.Frames[1:])
			steps, deepest, wrong, inClock := 0, 0, 0, 0
			clock := vdsoOf(t, r, image)
			check := func() {
				// The kernel's code for clocks begins anew where a tick came between its steps. If
				// each step took longer than a tick allows, it would never end.
				if s.regs.Rip >= clock.Start && s.regs.Rip < clock.End {
					if inClock++; inClock > 200 {
						return
					}
				}
				found := r.Unwind(image, s.thread(), 0)
				want := append([]uint64{s.regs.Rip}, slices.Concat(reversed(s.returns), base)...)
				deepest = max(deepest, len(want))
				if steps++; found.End != unwind.Whole || !slices.Equal(found.Frames, want) {
					if wrong++; wrong < 10 {
						t.Errorf("step %d, %s: end %d of %s; want %s", steps,
							placed(r, image, s.regs.Rip), found.End, nested(r, image, found.Frames),
							nested(r, image, want))
					}
				}
			}
			for s.step() {
				check()
			}
			inZlib := steps
			for name == "without frame pointers" && s.step() {
				check()
			}
			if len(s.returns) != 0 {
				t.Errorf("%d calls have not returned", len(s.returns))
			}
			t.Logf("%d stacks, %d of them in zlib, up to %d deep, %d wrong; problems: %q", steps,
				steps-inZlib, deepest, wrong, r.Problems)
			if steps < 1000 {
				t.Errorf("%d steps", steps)
			}
		})
	}
}

// nesting compiles nestingSource. It skips the test where a compiler or zlib is not installed.
func nesting(t testing.TB, flags string) (path string) {
	t.Helper()
	dir := t.TempDir()
	source, path := filepath.Join(dir, "nesting.c"), filepath.Join(dir, "nesting")
	if err := os.WriteFile(source, []byte(nestingSource), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "gcc",
		append(strings.Fields(flags), "-o", path, source, "-lz")...).CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) || bytes.Contains(out, []byte("zlib.h: No such file")) ||
		bytes.Contains(out, []byte("cannot find -lz")) {
		t.Skipf("cannot compile with zlib: %v: %.300s", err, out)
	}
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// BenchmarkUnwind walks the stacks of a program that is stepped through, of some 10 frames each.
func BenchmarkUnwind(b *testing.B) {
	s := launch(b, nesting(b, "-O2 -fomit-frame-pointer"))
	r, _ := newLocal(b)
	image := r.image(s.pid)
	var threads []*unwind.Thread
	frames := 0
	for n := 0; s.step(); n++ {
		if n%20 == 0 {
			t := s.thread()
			t.Stack = slices.Clone(t.Stack)
			threads = append(threads, t)
			frames += len(r.Unwind(image, t, 0).Frames)
		}
	}
	b.ReportAllocs()
	var before, after syscall.Rusage
	i := 0
	_ = syscall.Getrusage(unix.RUSAGE_THREAD, &before) // cannot fail
	for b.Loop() {
		r.Unwind(image, threads[i%len(threads)], 0)
		i++
	}
	_ = syscall.Getrusage(unix.RUSAGE_THREAD, &after)
	b.ReportMetric(float64(after.Utime.Nano()-before.Utime.Nano())/float64(i), "cpu-ns/op")
	b.ReportMetric(float64(frames)/float64(len(threads)), "frames/op")
}

func reversed(v []uint64) []uint64 {
	v = slices.Clone(v)
	slices.Reverse(v)
	return v
}

// placed is an address with its function.
func placed(r *resolver, i Image, addr uint64) string {
	return fmt.Sprintf("%#x in %s", addr, r.User(i, addr, false).Name)
}

func nested(r *resolver, i Image, frames []uint64) string {
	var b bytes.Buffer
	for n, a := range frames {
		fmt.Fprintf(&b, "%s(%x) ", r.User(i, a, n > 0).Name, a)
	}
	return b.String()
}
