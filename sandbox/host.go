package sandbox

import (
	"errors"
	"fmt"
	"time"

	"github.com/ebb-energy/ebb/sandbox/packet"
	"github.com/ebb-energy/ebb/sandbox/protocol"
	"github.com/ebb-energy/ebb/units"
)

// Host is the governor's side of the two processes. It is for one goroutine.
//
// Bind, Unbind, Walk and Poll never wait: they are for the thread that decides. The methods that
// take a context wait, and are for the run's beginning and end.
type Host struct {
	child, opener *process
	pids          map[protocol.Image]int  // of images that can be asked for
	deaths        map[protocol.Image]int  // how often the child was lost at an image
	banned        map[protocol.Image]bool // at which it was lost too often
	waiting       queue
	codes         codes
	problems      problems
	restarts      int
	stuck         bool             // the opener does not answer
	mapped        []protocol.Image // whose perf maps were read
	asked         uint64
	answer        func(packet []byte) bool // takes the answer to a question, if it is that
	buf           []byte
	gone          usage         // of processes that have ended
	killed        []int         // processes whose status was not taken
	untold        [][]byte      // what the opener is to know and had no room for
	toldAt        units.Instant // when the opener last had room, or nothing was left to say
}

const (
	// patience is how long the child may take for one sample or one packet of questions. It is
	// longer than the opener may take, for which the child waits.
	patience = 2500 * time.Millisecond
	// maxRestarts bounds how often processes are started again in a run. After that nothing is
	// walked and named any more.
	maxRestarts = 16
	// maxDeaths is how often the child may die at one image. One death can be chance: any process
	// of its user can kill it.
	maxDeaths = 3
	// maxBound bounds the images that a new opener learns of.
	maxBound = 1 << 14
	// maxPackets bounds how many answers one Poll takes: a child could send them as fast as they
	// are taken.
	maxPackets = 256
	// firstQuestion is the first question's number. Samples have lower ones.
	firstQuestion = 1 << 62
)

// Start starts the two processes.
func Start() (*Host, error) {
	h := &Host{
		pids: map[protocol.Image]int{}, deaths: map[protocol.Image]int{},
		banned: map[protocol.Image]bool{}, codes: newCodes(),
		buf: make([]byte, protocol.MaxPacket), asked: firstQuestion,
	}
	err := h.start()
	if err == nil {
		err = h.waiting.send(h.child.conn, 0)
	}
	if err != nil {
		return nil, errors.Join(err, h.Close())
	}
	return h, nil
}

// start starts the processes that do not run, and connects the two.
func (h *Host) start() (err error) {
	fresh := h.opener == nil
	if fresh {
		if h.opener, err = start(OpenerCommand); err != nil {
			return err
		}
		h.untold = nil
		for image, pid := range h.pids {
			h.tell(protocol.Bind(image, uint32(pid)))
		}
	}
	if h.child == nil {
		if h.child, err = startChild(); err != nil {
			return err
		}
		h.waiting.again(h.banned)
	}
	a, b, err := packet.Pair()
	if err != nil {
		return err
	}
	defer a.Close()
	if err = h.opener.conn.TrySendFD([]byte{byte(protocol.KindPeer)}, a.FD()); err == nil {
		h.waiting.introduce(b)
		return nil
	}
	err = errors.Join(fmt.Errorf("have opener and sandbox meet: %w", err), b.Close())
	if fresh {
		return err
	}
	h.dropOpener() // it has ended, too, or does not answer
	return h.start()
}

// tell sends a message to the opener, now or as soon as it has room. It never waits.
func (h *Host) tell(b []byte) {
	if h.opener == nil {
		return
	}
	h.tellRest()
	if len(h.untold) > 0 || h.opener.conn.TrySend(b) != nil {
		h.untold = append(h.untold, b)
	}
}

func (h *Host) tellRest() {
	for len(h.untold) > 0 && h.opener.conn.TrySend(h.untold[0]) == nil {
		h.untold, h.toldAt = h.untold[1:], 0
	}
}

// deaf says whether the opener has had no room for too long.
func (h *Host) deaf(at units.Instant) bool {
	if h.opener == nil {
		return false
	}
	if h.tellRest(); len(h.untold) == 0 || h.toldAt == 0 {
		h.toldAt = at
	}
	return at.Sub(h.toldAt) > patience
}

// Bind says which process an image is. It is called while the process lives.
func (h *Host) Bind(image protocol.Image, pid int) {
	if len(h.pids) < maxBound {
		h.pids[image] = pid
	}
	h.tell(protocol.Bind(image, uint32(pid)))
}

// Unbind says that an image's process has another program now, or has ended and its id is used
// again.
func (h *Host) Unbind(image protocol.Image) {
	delete(h.pids, image)
	if h.child != nil {
		h.waiting.flush()
		h.waiting.add(outgoing{bytes: protocol.Ask(protocol.KindUnbind, 0, image)})
		// A child that is started later does not know.
		h.tell(protocol.Ask(protocol.KindUnbind, 0, image))
	}
}

// Forget says that nothing is asked of an image any more.
func (h *Host) Forget(image protocol.Image) {
	delete(h.pids, image)
	delete(h.deaths, image)
	delete(h.banned, image)
	h.codes.forget(image)
	if h.child != nil {
		h.waiting.flush()
		h.waiting.add(outgoing{bytes: protocol.Forget(image)})
		h.tell(protocol.Forget(image))
	}
}

// Poll takes the answers that are there, and sends what is due. It is called when the time is at.
func (h *Host) Poll(at units.Instant) {
	for h.child != nil && h.waiting.any() {
		err := h.receive()
		if err == nil {
			err = h.waiting.send(h.child.conn, at)
		}
		if err == nil && h.waiting.overdue(at) {
			err = errors.New("it took too long")
		}
		if err == nil && (h.stuck || h.deaf(at)) {
			h.restartOpener()
		}
		if err == nil {
			return
		}
		h.restartChild(err)
	}
	if h.child == nil {
		h.waiting.abandon()
	}
}

// receive takes the answers that are there, as far as one call takes them.
func (h *Host) receive() error {
	for range maxPackets {
		n, err := h.child.conn.TryReceive(h.buf)
		if n == 0 || err != nil {
			return err
		}
		if err := h.take(h.buf[:n]); err != nil {
			return err
		}
	}
	return nil
}

// take takes one packet of the child.
func (h *Host) take(b []byte) error {
	switch protocol.Kind(b[0]) {
	case protocol.KindReady:
		return nil
	case protocol.KindStacks:
		var failed error
		err := protocol.DecodeStacks(b, func(s *protocol.Stack) {
			w, ok := h.waiting.take(s.Seq)
			if !ok {
				failed = fmt.Errorf("%w: a stack that nobody asked for", protocol.ErrMalformed)
				return
			}
			h.codes.translate(w.image, s.Frames)
			w.done(s.Frames, s.End)
		})
		return errors.Join(err, failed)
	case protocol.KindCodes:
		image, first, list, err := protocol.DecodeCodes(b)
		if err == nil {
			h.codes.add(image, first, list)
		}
		return err
	case protocol.KindProblem:
		text, err := protocol.DecodeProblem(b)
		h.problems.add(text)
		return err
	case protocol.KindStuck:
		h.stuck = true
		return nil
	}
	if h.answer != nil && h.answer(b) {
		return nil
	}
	return fmt.Errorf("%w of kind %d", protocol.ErrMalformed, b[0])
}

// restartOpener replaces an opener that does not answer.
func (h *Host) restartOpener() {
	h.dropOpener()
	h.problems.add("a file of the program could not be opened in time: its functions have no names")
	h.restart()
}

func (h *Host) dropOpener() {
	h.lose(h.opener)
	h.opener, h.stuck, h.toldAt = nil, false, 0
}

// restartChild replaces a child that died, stalled or made no sense. The sample that it was at is
// lost. Its image is banned at maxDeaths; at once when the child did not die by itself.
func (h *Host) restartChild(err error) {
	seq, image := h.child.progress.Seq.Load(), protocol.Image(h.child.progress.Image.Load())
	why := h.lose(h.child)
	if !died(err) {
		why = err.Error()
		h.deaths[image] = maxDeaths // it would be so again, and each time it is waited for
	}
	h.child = nil
	h.codes.restarted()
	if image != 0 {
		if h.deaths[image]++; h.deaths[image] >= maxDeaths {
			h.banned[image] = true
		}
	}
	h.waiting.drop(seq)
	what := "between two stacks"
	if pid, ok := h.pids[image]; ok {
		if what = fmt.Sprintf("at process %d", pid); h.banned[image] {
			what += ", for the last time: its code has no names from then on"
		}
	}
	h.problems.add(fmt.Sprintf("the process that reads stacks was lost %s: %s; "+
		"processes that had ended before have no names", what, why))
	h.restart()
}

func (h *Host) restart() {
	if h.restarts++; h.restarts > maxRestarts {
		h.problems.add(fmt.Sprintf("the processes that read stacks were lost more than %d times: "+
			"the rest has no names", maxRestarts))
		h.end()
		return
	}
	if err := h.start(); err != nil {
		h.problems.add(err.Error())
		h.end()
	}
}

// Problems are sentences for the report.
func (h *Host) Problems() []string { return h.problems.list }

// lose gives a process up, and says why it had ended, if it had.
func (h *Host) lose(p *process) (why string) {
	h.gone.add(p)
	h.killed = append(h.killed, p.Pid)
	return p.kill()
}

// end ends the processes. Nothing is walked or named any more.
func (h *Host) end() {
	for _, p := range []*process{h.child, h.opener} {
		if p != nil {
			h.lose(p)
		}
	}
	h.child, h.opener = nil, nil
	h.waiting.abandon()
}

// Close ends the processes and takes their status. It waits a little, and is for when nothing is
// governed. A second Close does nothing.
func (h *Host) Close() error {
	h.end()
	reap(h.killed)
	h.killed = nil
	return nil
}
