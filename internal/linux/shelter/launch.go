package shelter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Errors of Wait. They come wrapped.
var (
	// errEnded says that the launcher was ended before it executed the program.
	errEnded = errors.New("it was ended before it began")
	// errWaited says that the program had not begun when the context ended. Its process is being
	// killed.
	errWaited = errors.New("it has not begun yet, and ebb waits no longer")
)

// Launch is a program whose launcher has started, or is about to. A nil Launch is a program that
// was started without one.
type Launch struct {
	order  order
	theirs [2]*os.File // the launcher's ends: the order, and a pipe for its answers
	heard  *os.File
	kill   func() error
}

// order says what a launcher is to do.
type order struct {
	Homes     []text // directories of the cgroups to join
	Path      text
	Argv, Env []text
	User      *syscall.Credential // nil: the user stays the same
	Death     syscall.Signal      // the program gets it when the thread that started it ends
	Parent    int
}

// text is a string as bytes, which JSON keeps even where they are no UTF-8.
type text []byte

func texts(all []string) (out []text) {
	for _, s := range all {
		out = append(out, text(s))
	}
	return out
}

func plain(all []text) (out []string) {
	for _, s := range all {
		out = append(out, string(s))
	}
	return out
}

// LauncherNeeded reports whether programs are started through a launcher.
func LauncherNeeded() bool { return len(homes()) > 0 }

// StartOutside starts a program like os.StartProcess, where this process was started: through a
// launcher from a shelter, and at once where this process has not moved.
func StartOutside(path string, argv []string, attr *os.ProcAttr) (*os.Process, *Launch, error) {
	homes := homes()
	if len(homes) == 0 {
		p, err := os.StartProcess(path, argv, attr)
		return p, nil, err
	}
	l, err := prepare(homes, path, argv, attr.Env, attr.Sys)
	if err != nil {
		return nil, nil, err
	}
	through := *attr
	through.Files = append(append([]*os.File{}, attr.Files...), l.theirs[:]...)
	through.Env, through.Sys = environment, without(attr.Sys)
	p, err := os.StartProcess(executable, l.args(len(attr.Files)), &through)
	if err != nil {
		return nil, nil, errors.Join(err, l.close())
	}
	l.started(p)
	return p, l, nil
}

// StartCommandOutside starts a command like cmd.Start, where StartOutside does.
func StartCommandOutside(cmd *exec.Cmd) (*Launch, error) {
	homes := homes()
	if len(homes) == 0 || cmd.Err != nil {
		return nil, cmd.Start()
	}
	l, err := prepare(homes, cmd.Path, cmd.Args, cmd.Env, cmd.SysProcAttr)
	if err != nil {
		return nil, err
	}
	const first = 3 // number of the first of ExtraFiles
	args := l.args(first + len(cmd.ExtraFiles))
	cmd.Path, cmd.Args, cmd.Env = executable, args, environment
	cmd.ExtraFiles = append(cmd.ExtraFiles, l.theirs[:]...)
	cmd.SysProcAttr = without(cmd.SysProcAttr)
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, l.close())
	}
	l.started(cmd.Process)
	return l, nil
}

// executable leads to this process's executable even where its file was replaced or removed.
const executable = "/proc/self/exe"

// environment keeps Go's runtime in the launcher small and quiet. The program's environment is in
// the order.
var environment = []string{"GOMAXPROCS=1", "GOGC=off",
	"GODEBUG=containermaxprocs=0,updatemaxprocs=0"}

func prepare(homes []string, path string, argv, env []string, sys *syscall.SysProcAttr,
) (l *Launch, err error) {
	if env == nil {
		env = os.Environ()
	}
	l = &Launch{order: order{Homes: texts(homes), Path: text(path), Argv: texts(argv),
		Env: texts(env), Parent: os.Getpid()}}
	if sys != nil {
		l.order.User, l.order.Death = sys.Credential, sys.Pdeathsig
	}
	defer func() {
		if err != nil {
			l, err = nil, errors.Join(fmt.Errorf("prepare the start of %s: %w", path, err),
				l.close())
		}
	}()
	fd, err := unix.MemfdCreate("launch", unix.MFD_CLOEXEC)
	if err != nil {
		return l, err
	}
	l.theirs[0] = os.NewFile(uintptr(fd), "launch")
	if err := json.NewEncoder(l.theirs[0]).Encode(&l.order); err != nil {
		return l, err
	}
	if _, err := l.theirs[0].Seek(0, io.SeekStart); err != nil {
		return l, err
	}
	l.heard, l.theirs[1], err = os.Pipe()
	return l, err
}

// without returns the attributes of the launcher's own process, which becomes the user later.
func without(sys *syscall.SysProcAttr) *syscall.SysProcAttr {
	if sys == nil {
		return nil
	}
	s := *sys
	s.Credential = nil
	return &s
}

// args returns the launcher's arguments. Its two descriptors have the numbers from first on.
func (l *Launch) args(first int) []string {
	return []string{"ebb", command, strconv.Itoa(first)}
}

func (l *Launch) started(p *os.Process) {
	l.kill = p.Kill
	for i, f := range l.theirs {
		f.Close() // the launcher has its own
		l.theirs[i] = nil
	}
}

func (l *Launch) close() (err error) {
	for _, f := range []*os.File{l.theirs[0], l.theirs[1], l.heard} {
		if f != nil {
			err = errors.Join(err, f.Close())
		}
	}
	return err
}

// Wait waits until the program has begun, and returns the CPU time that its process had used up to
// then. When the context ends before, it kills the process, which may not end as long as its cgroup
// is frozen, and then never begins the program. A program that cannot be executed is an
// fs.PathError, as with os.StartProcess.
func (l *Launch) Wait(ctx context.Context) (before time.Duration, err error) {
	if l == nil {
		return 0, nil
	}
	defer l.heard.Close()
	said := make(chan []byte, 1)
	go func() {
		b, _ := io.ReadAll(io.LimitReader(l.heard, 2*answerSize)) // began judges what has come
		said <- b
	}()
	select {
	case b := <-said:
		return l.began(b)
	case <-ctx.Done():
	}
	select {
	case b := <-said: // it has begun, and gets what ended the context
		return l.began(b)
	default:
	}
	_ = l.kill() // it may end at this very moment
	return 0, fmt.Errorf("start %s: %w%s", l.order.Path, errWaited, l.frozen())
}

// began judges all that a launcher has said: the CPU time before the program, or what was refused.
func (l *Launch) began(b []byte) (time.Duration, error) {
	var first, second answer
	switch {
	case first.decode(b) && first.Step == begins && !second.decode(b[answerSize:]):
		return time.Duration(max(first.Value, 0)), nil
	case first.Step == begins:
		first = second
	}
	errno := syscall.Errno(first.Errno)
	switch i := int(first.Value); {
	case first.Step == joins && i >= 0 && i < len(l.order.Homes):
		return 0, fmt.Errorf("start %s in the cgroup that ebb was started in, %s: %w",
			l.order.Path, l.order.Homes[i], errno)
	case first.Step == becomes, first.Step == executes: // as os.StartProcess says it
		return 0, &fs.PathError{Op: "fork/exec", Path: string(l.order.Path), Err: errno}
	}
	return 0, fmt.Errorf("start %s: %w", l.order.Path, errEnded)
}

// frozen returns a clause that says which of the cgroups are frozen.
func (l *Launch) frozen() string {
	for _, dir := range l.order.Homes {
		if frozen(string(dir)) {
			return "; its cgroup " + string(dir) + " is frozen"
		}
	}
	return ""
}
