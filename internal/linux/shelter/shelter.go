package shelter

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// name is the name of the cgroup that Enter makes where version 2 wants processes in the last
// cgroups only. All of ebb's processes share it, and the last one removes it.
const name = "ebb-sheltered"

// The moves that this process has made; mu guards them.
var (
	mu    sync.Mutex
	moved []move
)

// Enter moves this process, where another user can write its cgroup or one above that, to the last
// one above that no other user can write. So limits of the system's still hold. Processes that it
// starts afterwards begin there. Where nobody else can write, nothing moves. Its error says that
// the process may be where others can end or stop it.
func Enter() error {
	mu.Lock()
	defer mu.Unlock()
	moves, err := look()
	if err != nil {
		return err
	}
	for _, m := range moves {
		if err := m.enter(); err != nil {
			return fmt.Errorf("leave the cgroup %s, which another user can write: %w", m.hierarchy,
				err)
		}
		moved = append(moved, m)
	}
	if moves, err = look(); err == nil && len(moves) > 0 {
		err = fmt.Errorf("%w: %s, after ebb has left %s", errOpen, moves[0].hierarchy,
			moved[0].hierarchy)
	}
	return err
}

// look plans the moves out of the cgroups that this process is in.
func look() ([]move, error) {
	cgroups, mountinfo, err := where()
	if err != nil {
		return nil, fmt.Errorf("look for ebb's own cgroup: %w", err)
	}
	return plan(cgroups, mountinfo)
}

// where reads which cgroups this process is in, and where hierarchies are mounted. Both are empty
// on a kernel without cgroups.
func where() (cgroups, mountinfo string, err error) {
	c, err := os.ReadFile(ownCgroups)
	if errors.Is(err, os.ErrNotExist) {
		return "", "", nil
	}
	if err != nil {
		return "", "", err
	}
	m, err := os.ReadFile("/proc/self/mountinfo")
	return string(c), string(m), err
}

// ownCgroups has the cgroups that the process is in.
const ownCgroups = "/proc/self/cgroup"

// tries bounds the attempts at a cgroup that another ebb removes meanwhile.
const tries = 100

func (m *move) enter() error {
	err := put(filepath.Join(m.refuge, procs), ownProcess)
	if !m.v2() || !errors.Is(err, unix.EBUSY) {
		return err
	}
	m.refuge = filepath.Join(m.refuge, name)
	for range tries {
		if err = os.Mkdir(m.refuge, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
		err = put(filepath.Join(m.refuge, procs), ownProcess)
		if !errors.Is(err, os.ErrNotExist) && !errors.Is(err, unix.ENODEV) {
			return err
		}
	}
	return err
}

// homes returns the directories of the cgroups that this process was in before Enter, as far as it
// has left them. There are none where nothing has moved.
func homes() (dirs []string) {
	mu.Lock()
	defer mu.Unlock()
	for _, m := range moved {
		dirs = append(dirs, m.home)
	}
	return dirs
}

// join moves this process into the cgroup of a directory. Whoever can write the cgroup can hold the
// process from then on, so the process has nothing that others wait for.
func join(dir string) error { return put(filepath.Join(dir, procs), ownProcess) }

// Leave moves this process, which has nothing left to put back, to the first cgroup, and removes
// the one that Enter has made. It waits a moment for the last processes in it, which may just have
// been killed; if others stay, they remove it, or the next ebb does.
func Leave() {
	// Most have been moved nowhere, and need not read all mounts for it.
	if c, err := os.ReadFile(ownCgroups); err != nil || !bytes.Contains(c, []byte("/"+name+"\n")) {
		return
	}
	cgroups, mountinfo, err := where()
	if err != nil {
		return
	}
	dir, root := made(cgroups, mountinfo)
	if dir == "" || put(filepath.Join(root, procs), ownProcess) != nil {
		return
	}
	for range tries {
		if err := unix.Rmdir(dir); !errors.Is(err, unix.EBUSY) {
			return
		}
		unix.Nanosleep(&unix.Timespec{Nsec: 10e6}, nil)
	}
}

// The file that processes are moved by, and the writer's own name there.
const (
	procs      = "cgroup.procs"
	ownProcess = "0"
)

// put writes a value to an attribute that is there.
func put(path, value string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(value)
	return errors.Join(err, f.Close())
}

// frozen reports whether a cgroup is frozen, as far as that can be seen.
func frozen(dir string) bool {
	events, _ := os.ReadFile(filepath.Join(dir, "cgroup.events")) // version 2 has this file
	state, _ := os.ReadFile(filepath.Join(dir, "freezer.state"))  // version 1 has this file
	return strings.Contains(string(events), "frozen 1\n") ||
		strings.HasPrefix(string(state), "FR")
}
