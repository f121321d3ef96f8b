package sandbox

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/internal/linux/unixconn"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/units"
)

// Host is the governor's side of the two processes. It is for one goroutine.
//
// Bind, Unbind, Walk and Poll never wait: they are for the thread that decides. The methods that
// take a context wait, and are for the run's beginning and end.
type Host struct {
	child, opener *process
	openerStuck   bool   // the opener does not answer
	outbox        outbox // messages to the opener
	queue         queue  // messages to the child
	buf           []byte // one packet from the child

	ownID  func(pid int) int       // returns ebb's id of a process that Bind names; nil: the same
	bound  bindings                // processes that an opener is to know
	deaths map[protocol.Image]int  // number of times that the child was lost at an image
	banned map[protocol.Image]bool // images with maxDeaths

	perfMapped []protocol.Image         // images whose perf maps were read
	question   uint64                   // number of the last question
	answer     func(packet []byte) bool // takes a question's answer; nil while none is asked
	codes      codes
	threads    threads
	virtual    virtual
	problems   problems
	rings      rings
	origins    originsQuestion
	naming     naming
	marks      markPipe
	polled     units.Instant // time of the newest Poll

	searched  protocol.Image // the last image that a Search asked of
	answersBy time.Time      // when AwaitAnswers waits no more; zero before the first
	unwalked  int            // samples that AwaitAnswers gave up
	nameBy    time.Time      // when names are waited for no more; zero before the first PerfMaps
	answerBy  time.Time      // when perf maps are waited for no more; zero outside PerfMaps
	unnamed   int            // addresses that Names gave up then
	over      error          // why the processes were ended; nil: they were not, or were lost

	ready    bool // a child has begun to serve
	restarts int
	ended    usage // use of processes that have ended
	unreaped []int // killed processes whose status was not taken
}

const (
	// patience is the time that the child may take for one sample or one packet of questions. It
	// exceeds the opener's, for which the child waits.
	patience = 2500 * time.Millisecond
	// maxRestarts bounds the restarts of processes in a run. After that nothing more is walked or
	// named.
	maxRestarts = 16
	// maxDeaths is the number of the child's deaths at one image before the image is banned. One
	// death can be chance: any process of its user can kill it.
	maxDeaths = 3
	// maxImages bounds the images whose compiled code is remembered.
	maxImages = 1 << 14
	// maxPackets bounds the answers that one Poll takes: a child could send them as fast as they
	// are taken.
	maxPackets = 256
	// firstQuestion is the first question's number. Samples have lower ones.
	firstQuestion = 1 << 62
)

// Start starts the two processes.
func Start() (*Host, error) {
	h := &Host{
		bound: newBindings(), deaths: map[protocol.Image]int{},
		banned: map[protocol.Image]bool{}, codes: newCodes(),
		buf: make([]byte, protocol.MaxPacket), question: firstQuestion,
	}
	err := h.start()
	if err == nil {
		err = h.queue.send(h.child.conn, 0)
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
		h.outbox = outbox{}
		for image := range h.bound.fds {
			h.bindInOpener(image)
		}
	}
	if h.child == nil {
		if h.child, err = startChild(); err != nil {
			return err
		}
		h.queue.requeue(h.banned)
	}
	a, b, err := unixconn.Pair()
	if err != nil {
		return err
	}
	defer a.Close()
	if err = h.opener.conn.TrySendFD([]byte{byte(protocol.KindPeer)}, a.FD()); err == nil {
		h.queue.introduce(b)
		return nil
	}
	err = errors.Join(fmt.Errorf("connect the opener and the sandbox: %w", err), b.Close())
	if fresh {
		return err
	}
	h.dropOpener() // it has also ended, or does not answer
	return h.start()
}

// toOpener sends a message to the opener, if there is one.
func (h *Host) toOpener(message []byte) { h.post(letter{bytes: message}) }

// bindInOpener hands the opener an image's process.
func (h *Host) bindInOpener(image protocol.Image) {
	h.post(letter{bytes: protocol.Bind(image, uint32(h.bound.pids[image])), binds: image})
}

func (h *Host) post(l letter) {
	if h.opener != nil {
		h.outbox.send(h.opener.conn, l, &h.bound)
	}
}

// OwnIDs sets how the ids that Bind gets become ids in /proc: of returns the id that a process has
// in ebb's own PID namespace, 0 for none.
func (h *Host) OwnIDs(of func(pid int) int) { h.ownID = of }

// Bind names the process of an image. It is called while the process lives.
func (h *Host) Bind(image protocol.Image, pid int) {
	given := pid
	if h.ownID != nil {
		pid = h.ownID(pid)
	}
	if h.bound.add(image, pid) {
		h.bound.given[image] = given
		h.bindInOpener(image)
	}
}

// Unbind says that an image's process runs another program, or has ended and its id is used again.
func (h *Host) Unbind(image protocol.Image) {
	h.bound.drop(image)
	h.virtual.dropped(image)
	if h.child != nil {
		h.queue.flush()
		h.queue.enqueue(outgoing{bytes: protocol.Ask(protocol.KindUnbind, 0, image)})
		// The opener learns it as well: a child that is started later does not know it.
		h.toOpener(protocol.Ask(protocol.KindUnbind, 0, image))
	}
}

// Forget says that there are no more questions about an image.
func (h *Host) Forget(image protocol.Image) {
	h.bound.drop(image)
	delete(h.deaths, image)
	delete(h.banned, image)
	h.codes.forget(image)
	h.threads.forget(image)
	h.virtual.dropped(image)
	h.virtual.forget(image)
	if h.child != nil {
		h.queue.flush()
		h.queue.enqueue(outgoing{bytes: protocol.Forget(image)})
		h.toOpener(protocol.Forget(image))
	}
}

// Poll takes the answers that have come, and sends the messages that are due by at.
func (h *Host) Poll(at units.Instant) {
	h.polled = at
	h.virtual.hand(at, h.bound.given)
	for h.child != nil && (h.queue.busy() || h.rings.asked || h.origins.asked || h.marks.asked ||
		h.naming.asked) {
		err := h.receive()
		if err == nil {
			err = h.queue.send(h.child.conn, at)
		}
		if err == nil && (h.queue.overdue(at, h.naming.patience()) || h.rings.overdue(at) ||
			h.origins.overdue(at) || h.marks.overdue(at) || h.naming.overdue(at)) {
			err = errors.New("it took too long")
		}
		if err == nil && (h.openerStuck ||
			h.opener != nil && h.outbox.overdue(h.opener.conn, &h.bound, at)) {
			h.restartOpener()
		}
		if err == nil {
			return
		}
		h.restartChild(err)
	}
	if h.child == nil {
		h.queue.abandon()
		h.naming.lost()
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

// take processes one packet of the child.
func (h *Host) take(b []byte) error {
	switch protocol.Kind(b[0]) {
	case protocol.KindReady:
		h.ready = true
		return nil
	case protocol.KindStacks:
		var failed error
		err := protocol.DecodeStacks(b, func(s *protocol.Stack) {
			if s.Seq <= h.queue.gone {
				return
			}
			w, ok := h.queue.take(s.Seq)
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
	case protocol.KindThreads:
		image, list, err := protocol.DecodeThreads(b)
		if err == nil {
			h.threads.add(image, list)
		}
		return err
	case protocol.KindCarriers:
		image, list, err := protocol.DecodeCarriers(b)
		if err == nil && h.bound.given[image] != 0 {
			h.virtual.carried(image, list)
		}
		return err
	case protocol.KindVirtual:
		image, list, err := protocol.DecodeVirtualThreads(b)
		if err == nil {
			h.virtual.add(image, list)
		}
		return err
	case protocol.KindProblem:
		text, err := protocol.DecodeProblem(b)
		h.problems.add(text)
		return err
	case protocol.KindStuck:
		h.openerStuck = true
		return nil
	case protocol.KindRecords:
		return h.records(b)
	case protocol.KindOrigins:
		return h.placed(b)
	case protocol.KindFrames:
		if h.named(b) {
			return nil
		}
	case protocol.KindMarked:
		return h.marked(b)
	}
	if h.answer != nil && h.answer(b) {
		return nil
	}
	return fmt.Errorf("%w of kind %d", protocol.ErrMalformed, b[0])
}

// Problems returns sentences for the report.
func (h *Host) Problems() []string {
	list := slices.Clip(h.problems.list)
	if h.unwalked > 0 {
		list = append(list, fmt.Sprintf("the stacks of %d samples were not walked: the end of "+
			"the run did not wait for them", h.unwalked))
	}
	if h.unnamed > 0 {
		list = append(list, fmt.Sprintf("%d addresses were not named: %v", h.unnamed, errNames))
	}
	if n := h.threads.beyond; n > 0 {
		list = append(list, fmt.Sprintf("%d names that virtual machines gave threads are not "+
			"kept: there is room for %d, and %d bytes", n, maxThreads, maxThreadBytes))
	}
	if n := h.virtual.beyond; n > 0 {
		list = append(list, fmt.Sprintf("%d names of virtual threads are not kept: there is "+
			"room for %d, and %d bytes", n, maxVirtual, maxVirtualBytes))
	}
	return list
}
