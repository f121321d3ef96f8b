package proc

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// run returns what the filter answers to a call.
func run(t *testing.T, program []unix.SockFilter, architecture, number uint32, request uint64,
) uint32 {
	t.Helper()
	word := uint32(0)
	for at := 0; at < len(program); at++ {
		switch i := program[at]; i.Code {
		case unix.BPF_LD | unix.BPF_W | unix.BPF_ABS:
			word = map[uint32]uint32{dataNumber: number, dataArchitecture: architecture,
				dataRequest: uint32(request)}[i.K]
		case unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K:
			if word == i.K {
				at += int(i.Jt)
			} else {
				at += int(i.Jf)
			}
		case unix.BPF_RET | unix.BPF_K:
			return i.K
		default:
			t.Fatalf("instruction %d: %+v", at, i)
		}
	}
	t.Fatal("the filter does not answer")
	return 0
}

// TestFilter: of all sets of system calls the two requests are refused, whatever the upper half of
// the argument is, and nothing else is. A set that this machine has not is refused.
func TestFilter(t *testing.T) {
	program := filter()
	refused := uint32(unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM))
	for _, s := range sets {
		for _, number := range s.ioctls {
			for request, want := range map[uint64]uint32{
				unix.TIOCSTI: refused, unix.TIOCLINUX: refused, 1<<32 | unix.TIOCSTI: refused,
				unix.TIOCGWINSZ: unix.SECCOMP_RET_ALLOW, unix.TCGETS: unix.SECCOMP_RET_ALLOW,
				unix.TIOCSTI << 32: unix.SECCOMP_RET_ALLOW,
			} {
				if got := run(t, program, s.architecture, number, request); got != want {
					t.Errorf("%x: call %x, request %x: %x, want %x", s.architecture, number,
						request, got, want)
				}
			}
		}
		for _, number := range []uint32{0, 1, 3, 4095, ^uint32(0)} {
			if got := run(t, program, s.architecture, number,
				unix.TIOCSTI); got != unix.SECCOMP_RET_ALLOW {
				t.Errorf("%x: call %x: %x", s.architecture, number, got)
			}
		}
	}
	if got := run(t, program, 0, 0, 0); got != refused {
		t.Errorf("another machine's: %x", got)
	}
}

// TestStart: what is started may not type into a terminal, and gets no new privileges where that is
// asked for. Nothing of it is left afterwards.
func TestStart(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	typed := func() error {
		return unix.IoctlSetPointerInt(int(null.Fd()), unix.TIOCSTI, 'x')
	}
	for _, only := range []bool{false, true} {
		if !only && os.Geteuid() != 0 {
			continue // it takes CAP_SYS_ADMIN
		}
		err := StartConfined(Confinement{NoNewPrivileges: only}, func() error {
			if err := typed(); err != unix.EPERM {
				t.Errorf("TIOCSTI: %v", err)
			}
			set, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
			if err == nil && (set != 0) != only {
				t.Errorf("no_new_privs is %d, asked for: %v", set, only)
			}
			return err
		})
		if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) ||
			errors.Is(err, errors.ErrUnsupported) {
			t.Skip(err)
		}
		if err != nil {
			t.Error(err)
		}
	}
	if err := typed(); err == unix.EPERM {
		t.Error("the test's own thread is limited")
	}
}

// session returns the number of the calling thread's session keyring: its user's, where it has none
// of its own.
func session(t *testing.T) int {
	t.Helper()
	id, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_SESSION_KEYRING, false)
	if err != nil {
		t.Skip("no keys: ", err)
	}
	return id
}

// TestOwnKeys: what is started with keys of its own has another session keyring than its caller,
// without a key. The caller keeps its own.
func TestOwnKeys(t *testing.T) {
	const kind = "user"
	name := fmt.Sprint("ebb-test-", os.Getpid()) // other tests may have this session's keyring
	before := session(t)
	key, err := unix.AddKey(kind, name, []byte("secret"), before)
	if err != nil {
		t.Skip("add a key: ", err)
	}
	defer unix.KeyctlInt(unix.KEYCTL_UNLINK, key, before, 0, 0)
	for _, own := range []bool{false, true} {
		err := StartConfined(Confinement{NoNewPrivileges: true, OwnKeys: own}, func() error {
			_, err := unix.KeyctlSearch(unix.KEY_SPEC_SESSION_KEYRING, kind, name, 0)
			if found := err == nil; found == own {
				t.Errorf("keys of its own: %v, finds its caller's: %v (%v)", own, found, err)
			}
			if got := session(t); (got != before) != own {
				t.Errorf("keys of its own: %v, keyring %d, its caller's %d", own, got, before)
			}
			return nil
		})
		if errors.Is(err, errors.ErrUnsupported) {
			t.Skip(err)
		}
		if err != nil {
			t.Error(err)
		}
	}
	if got := session(t); got != before {
		t.Errorf("the caller's keyring is %d, was %d", got, before)
	}
}
