//go:build !race

package sandbox

import (
	"os"
	"os/exec"
	"runtime"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/internal/sandbox/opener"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/internal/stacks/symbols"
	"github.com/ebb-energy/ebb/internal/stacks/unwind"
)

// local opens for a Resolver in this process.
type local struct{ o *opener.Opener }

func (l local) open(what protocol.What, start, end uint64) (*os.File, error) {
	return l.o.Open(&protocol.Open{What: what, Image: 1, Start: start, End: end})
}

func (l local) Maps(symbols.Image) (*os.File, error)   { return l.open(protocol.Maps, 0, 0) }
func (l local) Memory(symbols.Image) (*os.File, error) { return l.open(protocol.Memory, 0, 0) }
func (l local) Status(symbols.Image) (*os.File, error) { return l.open(protocol.Status, 0, 0) }

func (l local) CommandLine(symbols.Image) (*os.File, error) {
	return l.open(protocol.CommandLine, 0, 0)
}

func (l local) PerfMap(symbols.Image) (*os.File, error) { return l.open(protocol.PerfMap, 0, 0) }
func (l local) Times(*os.File) (now, made uint64, ahead int64, err error) {
	at := int64(monotonic.Now())
	return uint64(at), 0, time.Now().UnixNano() - at, nil
}

func (l local) KernelSymbols() (*os.File, error) {
	return l.open(protocol.KernelSymbols, 0, 0)
}

func (l local) Release(symbols.Image) (*os.File, error) { return l.open(protocol.Release, 0, 0) }

func (l local) Auxiliary(symbols.Image) (*os.File, error) {
	return l.open(protocol.Auxiliary, 0, 0)
}

func (l local) Program(_ symbols.Image, path string) error {
	f, err := l.o.Open(&protocol.Open{What: protocol.Program, Image: 1, Link: path})
	if err != nil {
		return err
	}
	return f.Close()
}

func (l local) Mapped(_ symbols.Image, start, end uint64) (*os.File, error) {
	return l.open(protocol.Mapped, start, end)
}

func (l local) Debug(
	_ symbols.Image, start, end uint64, id []byte, link string, nth int,
) (*os.File, error) {
	return l.o.Open(&protocol.Open{What: protocol.Debug, Image: 1, Start: start, End: end,
		BuildID: id, Link: link, Nth: uint8(nth)})
}

// TestSameAsInProcess: the stack of another program, and the names in it, are the same as a
// Resolver finds in this process.
func TestSameAsInProcess(t *testing.T) {
	mayOpen(t)
	runtime.LockOSThread() // the tracer is a thread
	defer runtime.UnlockOSThread()
	cmd := exec.CommandContext(t.Context(), "sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	time.Sleep(200 * time.Millisecond) // until it sleeps, mostly: any stack will do
	if err := unix.PtraceAttach(pid); err != nil {
		t.Skip("cannot trace a process: ", err)
	}
	var status unix.WaitStatus
	if _, err := unix.Wait4(pid, &status, 0, nil); err != nil {
		t.Fatal(err)
	}
	defer unix.PtraceDetach(pid)
	var g unix.PtraceRegs
	if err := unix.PtraceGetRegs(pid, &g); err != nil {
		t.Fatal(err)
	}
	s := protocol.Sample{
		Image: 1, PID: uint32(pid), Base: g.Rsp - 128,
		Registers: [17]uint64{
			g.Rax, g.Rdx, g.Rcx, g.Rbx, g.Rsi, g.Rdi, g.Rbp, g.Rsp,
			g.R8, g.R9, g.R10, g.R11, g.R12, g.R13, g.R14, g.R15, g.Rip,
		},
	}
	o := opener.New(t.TempDir())
	if err := o.Bind(1, pid); err != nil {
		t.Fatal(err)
	}
	defer o.Forget(1)
	memory, err := o.Open(&protocol.Open{What: protocol.Memory, Image: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer memory.Close()
	s.Stack = make([]byte, 16<<10)
	n, _ := memory.ReadAt(s.Stack, int64(s.Base)) // less at the stack's end
	s.Stack = s.Stack[:n]
	own := symbols.NewResolver(local{o})
	defer own.Close()
	own.Image(1, pid)
	want := own.Unwind(1, &unwind.Thread{Registers: s.Registers, Base: s.Base, Stack: s.Stack}, 0)

	r := newRun(t)
	r.Bind(1, pid)
	r.Walk(&s, r.now, func(frames []uint64, end protocol.End) {
		r.out = append(r.out, answer{0, slices.Clone(frames), end})
	})
	r.until(1)
	got := r.out[0]
	if len(got.frames) < 3 || !slices.Equal(got.frames, want.Frames) ||
		(got.end == protocol.Whole) != (want.End == unwind.Whole) {
		t.Fatalf("%x, end %d; in this process %x, end %d; %q", got.frames, got.end, want.Frames,
			want.End, r.Problems())
	}
	var list []protocol.Address
	for _, a := range got.frames {
		list = append(list, protocol.Address{Image: 1, Addr: a})
	}
	for i, f := range r.Names(t.Context(), list) {
		w := own.User(1, list[i].Addr, false)
		if f != (protocol.Frame{Name: w.Name, Module: w.Module, Kind: w.Kind.String(),
			BuildID: w.BuildID, Near: w.Near, Addr: w.Addr}) {
			t.Errorf("%+v, in this process %+v", f, w)
		}
	}
	t.Logf("%d frames, end %d", len(got.frames), got.end)
}
