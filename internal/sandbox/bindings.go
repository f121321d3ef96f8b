package sandbox

import (
	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
)

// bindings maps images to their processes. A pidfd of each is kept from the first moment on, so
// that a new opener is handed the same process and never another one that has got its id.
type bindings struct {
	pids map[protocol.Image]int // ids, for messages
	// given are the ids that Bind was called with: those of the machine's first PID namespace
	given map[protocol.Image]int
	fds   map[protocol.Image]int
	late  int // processes that found no room since the ended ones were last looked for
}

// maxBound bounds the descriptors that are kept, as the opener bounds its processes.
const maxBound = 1024

// lateAtATime is the number of processes that are left out at the bound before the ended ones are
// looked for again: that takes a while, which the thread that decides does not have for each.
const lateAtATime = 64

func newBindings() bindings {
	return bindings{pids: map[protocol.Image]int{}, fds: map[protocol.Image]int{},
		given: map[protocol.Image]int{}}
}

// add opens the process that has an id at that moment. It returns false where the process has
// ended, or where too many others live. It never waits.
func (b *bindings) add(image protocol.Image, pid int) bool {
	if _, known := b.fds[image]; known {
		return false
	}
	if len(b.fds) >= maxBound {
		if b.late++; b.late%lateAtATime == 1 {
			b.dropEnded()
		}
		if len(b.fds) >= maxBound {
			return false
		}
	}
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return false
	}
	b.fds[image], b.pids[image] = fd, pid
	return true
}

// drop forgets an image.
func (b *bindings) drop(image protocol.Image) {
	if fd, known := b.fds[image]; known {
		_ = unix.Close(fd) // nothing is written to it
	}
	delete(b.fds, image)
	delete(b.pids, image)
	delete(b.given, image)
}

// dropEnded forgets the images whose processes have ended: a new opener could open none of their
// files.
func (b *bindings) dropEnded() {
	poll := make([]unix.PollFd, 0, len(b.fds))
	images := make([]protocol.Image, 0, len(b.fds))
	for image, fd := range b.fds {
		poll = append(poll, unix.PollFd{Fd: int32(fd), Events: unix.POLLIN})
		images = append(images, image)
	}
	if _, err := unix.Poll(poll, 0); err != nil {
		return // interrupted: the next time
	}
	for i := range poll {
		if poll[i].Revents != 0 {
			b.drop(images[i])
		}
	}
}

// close forgets all images.
func (b *bindings) close() {
	for image := range b.fds {
		b.drop(image)
	}
}
