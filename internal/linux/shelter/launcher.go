package shelter

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// command is the subcommand that makes ebb a launcher. Only ebb itself uses it.
const command = "__launcher"

// LauncherAsked reports whether a process was started to be a launcher. A main function calls it
// first, and then continues with ServeLauncher.
func LauncherAsked(args []string) bool { return len(args) == 3 && args[1] == command }

// A launcher executes the program in the process's first thread, by which the program is known to
// those who follow it. Only an init function can keep main in it.
func init() {
	if LauncherAsked(os.Args) {
		runtime.LockOSThread()
	}
}

// step is the part of its work that a launcher's answer is about.
type step uint32

const (
	_        step = iota
	begins        // all is done, the program is next; the value is the CPU time used
	joins         // refused: to join a cgroup; the value is its place in the list
	becomes       // refused: to become the user
	executes      // refused: to execute the program
)

// answer is what a launcher writes to its caller: begins, and nothing after it if the program is
// executed, or the step that was refused.
type answer struct {
	Step  step
	Errno uint32
	Value int64
}

const answerSize = 16

func (a *answer) encode() []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(a.Step))
	b = binary.LittleEndian.AppendUint32(b, a.Errno)
	return binary.LittleEndian.AppendUint64(b, uint64(a.Value))
}

// decode reads the answer that b begins with, and reports whether there is one.
func (a *answer) decode(b []byte) bool {
	if len(b) < answerSize {
		return false
	}
	a.Step, a.Errno = step(binary.LittleEndian.Uint32(b)), binary.LittleEndian.Uint32(b[4:])
	a.Value = int64(binary.LittleEndian.Uint64(b[8:]))
	return true
}

// ServeLauncher does all of a launcher's work. It returns, with an exit status, only if the program
// is not executed.
func ServeLauncher(args []string) int {
	first, err := strconv.Atoi(args[2])
	if err != nil || first < 0 {
		return 1
	}
	// The program inherits all descriptors but these two. Go's runtime closes its own.
	syscall.CloseOnExec(first)
	syscall.CloseOnExec(first + 1)
	var o order
	if json.NewDecoder(os.NewFile(uintptr(first), "launch")).Decode(&o) != nil {
		return 1
	}
	refused := o.obey(first + 1)
	_, _ = unix.Write(first+1, refused.encode()) // the caller may not wait any more
	return 1
}

// obey carries the order out, up to the program, and returns what was refused. It starts no thread
// once it is in a cgroup that may allow none, so it makes only calls that Go's runtime takes for
// ones that cannot block.
func (o *order) obey(say int) answer {
	for i, dir := range o.Homes {
		if err := join(string(dir)); err != nil {
			return refusal(joins, err, int64(i))
		}
	}
	if o.User != nil {
		if err := become(o.User); err != nil {
			return refusal(becomes, err, 0)
		}
	}
	if o.Death != 0 { // the kernel forgets it when a process becomes another user's
		if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(o.Death), 0, 0, 0); err != nil {
			return refusal(becomes, err, 0)
		}
	}
	var used unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &used) // on an error it stays 0
	begin := answer{Step: begins, Value: used.Nano()}
	if _, err := unix.Write(say, begin.encode()); err != nil || unix.Getppid() != o.Parent {
		os.Exit(1) // the caller has ended, or does not wait: the program must not begin
	}
	return refusal(executes, syscall.Exec(string(o.Path), plain(o.Argv), plain(o.Env)), 0)
}

func refusal(s step, err error, value int64) answer {
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		errno = unix.EINVAL
	}
	return answer{Step: s, Errno: uint32(errno), Value: value}
}

// become gives the calling thread, which executes the program, the user's rights alone, as
// os.StartProcess does. The process's other threads end with the execution.
func become(c *syscall.Credential) error {
	if !c.NoSetGroups {
		var list unsafe.Pointer
		if len(c.Groups) > 0 {
			list = unsafe.Pointer(&c.Groups[0])
		}
		if _, _, errno := unix.RawSyscall(unix.SYS_SETGROUPS, uintptr(len(c.Groups)),
			uintptr(list), 0); errno != 0 {
			return errno
		}
	}
	if _, _, errno := unix.RawSyscall(unix.SYS_SETGID, uintptr(c.Gid), 0, 0); errno != 0 {
		return errno
	}
	if _, _, errno := unix.RawSyscall(unix.SYS_SETUID, uintptr(c.Uid), 0, 0); errno != 0 {
		return errno
	}
	return nil
}
