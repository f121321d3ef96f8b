package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/internal/linux/unixconn"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/units"
)

// ErrLost says that the process that was to answer has been lost, and the report says why.
var ErrLost = errors.New("the process that reads stacks was lost")

// questionPatience is the time that an answer may take: the child may read large files for it.
const questionPatience = 10 * time.Second

// pollInterval is the longest wait for the child between two checks of the context.
const pollInterval = 50 * time.Millisecond

// Ready waits until the child has begun to serve, for a while at most: else it would begin on the
// CPUs of a program that is about to start. An error is for Poll to find.
func (h *Host) Ready(patience time.Duration) {
	for end := time.Now().Add(patience); !h.ready && h.child != nil; {
		left := time.Until(end)
		if left <= 0 {
			return
		}
		if in, err := h.child.conn.Wait(left); err != nil || !in || h.receive() != nil {
			return
		}
	}
}

// answerTime bounds the wait for the stacks that are still to be walked at the run's end, from the
// first AwaitAnswers on. On a machine that others keep busy the run's end does not wait for them.
const answerTime = time.Second

// AwaitAnswers waits for the answers to all samples, until the context ends, the child is lost or
// answerTime is over. It gives up the rest. At returns the time.
func (h *Host) AwaitAnswers(ctx context.Context, at func() units.Instant) {
	if h.answersBy.IsZero() {
		h.answersBy = time.Now().Add(answerTime)
	}
	ctx, cancel := context.WithDeadline(ctx, h.answersBy)
	defer cancel()
	h.queue.flush()
	for len(h.queue.samples) > 0 && h.child != nil && ctx.Err() == nil {
		h.Poll(at())
		if len(h.queue.samples) > 0 && h.child != nil {
			_, _ = h.child.conn.Wait(pollInterval) // Poll finds the error
		}
	}
	h.unwalked += h.queue.giveUp()
}

// namesTime bounds the wait for names and perf maps at the run's end, from the first PerfMaps on. A
// question that takes longer than questionPatience is given up before.
const namesTime = 30 * time.Second

// errNames says that namesTime is over.
var errNames = fmt.Errorf("the end of the run waited %v for names, and no longer", namesTime)

// untilNamed returns a context that ends when names are not waited for any more.
func (h *Host) untilNamed(ctx context.Context) (context.Context, context.CancelFunc) {
	if h.nameBy.IsZero() {
		h.nameBy = time.Now().Add(namesTime)
	}
	return context.WithDeadlineCause(ctx, h.nameBy, errNames)
}

// ask sends a question, and waits until take accepts an answer. Where the context ends before that,
// the processes end too: the answer could come as one to another question.
func (h *Host) ask(
	ctx context.Context, question []byte, file *os.File, take func(packet []byte) bool,
) error {
	if h.child == nil && h.over != nil {
		return h.over
	}
	if h.child == nil {
		return ErrLost
	}
	answered := false
	h.answer = func(b []byte) bool {
		answered = take(b)
		return answered
	}
	defer func() { h.answer = nil }()
	child, sent := h.child, false
	end := time.Now().Add(questionPatience)
	if !h.answerBy.IsZero() && h.answerBy.Before(end) {
		end = h.answerBy
	}
	var err error
	for err == nil && !answered {
		if ctx.Err() != nil {
			if sent {
				h.over = context.Cause(ctx)
				h.end()
			}
			return context.Cause(ctx)
		}
		if !sent {
			if sent, err = h.put(question, file); err != nil {
				break
			}
		}
		if time.Now().After(end) {
			err = errors.New("it took too long")
			break
		}
		if _, err = child.conn.Wait(pollInterval); err == nil {
			err = h.receive()
		}
		if h.openerStuck {
			h.restartOpener()
			if h.child != child {
				return ErrLost
			}
		}
	}
	if err != nil {
		h.restartChild(err)
		return fmt.Errorf("%w: %w", ErrLost, err)
	}
	return nil
}

// put sends a question if all earlier messages are sent and there is room.
func (h *Host) put(question []byte, file *os.File) (sent bool, err error) {
	if err = h.queue.send(h.child.conn, 0); err != nil || len(h.queue.unsent) > 0 {
		return false, err
	}
	if file == nil {
		err = h.child.conn.TrySend(question)
	} else {
		err = h.child.conn.TrySendFD(question, int(file.Fd()))
	}
	if errors.Is(err, unixconn.ErrFull) {
		return false, nil
	}
	return err == nil, err
}

// text asks a question whose answer is a text, and returns the text.
func (h *Host) text(ctx context.Context, packet func(seq uint64) []byte) (string, error) {
	h.question++
	seq := h.question
	var text, reason string
	err := h.ask(ctx, packet(seq), nil, func(b []byte) bool {
		n, t, r, err := protocol.DecodeText(b)
		text, reason = clean(t), clean(r)
		return err == nil && n == seq
	})
	if err == nil && reason != "" {
		err = errors.New(reason)
	}
	return text, err
}

// PerfMaps makes the child read the perf maps of these images' processes. When the child is lost at
// one, another child reads the rest, in half of the time that names have left: whatever a program's
// maps are, functions of files get their names.
func (h *Host) PerfMaps(ctx context.Context, images []protocol.Image) error {
	ctx, cancel := h.untilNamed(ctx)
	defer cancel()
	h.perfMapped = images
	h.answerBy = time.Now().Add(time.Until(h.nameBy) / 2)
	defer func() { h.answerBy = time.Time{} }()
	for {
		var allowed []protocol.Image
		for _, i := range images {
			if !h.banned[i] {
				allowed = append(allowed, i)
			}
		}
		if err := h.perfMaps(ctx, allowed); err == nil || h.child == nil || ctx.Err() != nil ||
			time.Now().After(h.answerBy) {
			return err
		}
	}
}

func (h *Host) perfMaps(ctx context.Context, images []protocol.Image) error {
	const atATime = 4096
	for len(images) > 0 {
		n := min(len(images), atATime)
		_, err := h.text(ctx, func(seq uint64) []byte { return protocol.PerfMaps(seq, images[:n]) })
		if err != nil {
			return err
		}
		images = images[n:]
	}
	return nil
}

// Switches returns the lists of its code that an image's process was asked to write, with commas
// between them, as far as is known.
func (h *Host) Switches(ctx context.Context, image protocol.Image) (string, error) {
	return h.text(ctx, func(seq uint64) []byte {
		return protocol.Ask(protocol.KindSwitches, seq, image)
	})
}

// Attach makes a Java machine write its perf map.
func (h *Host) Attach(ctx context.Context, image protocol.Image) error {
	_, err := h.text(ctx, func(seq uint64) []byte {
		return protocol.Ask(protocol.KindAttach, seq, image)
	})
	return err
}

// MapsJVM reports whether an image has mapped a JVM, as far as the child has seen.
func (h *Host) MapsJVM(ctx context.Context, image protocol.Image) bool {
	_, err := h.text(ctx, func(seq uint64) []byte {
		return protocol.Ask(protocol.KindMapsJVM, seq, image)
	})
	return err == nil
}

// CommandLine returns a process's command line, its arguments with spaces between them.
func CommandLine(ctx context.Context, pid int) (string, error) {
	const image = 1
	h, err := Start()
	if err != nil {
		return "", err
	}
	defer h.Close()
	h.Bind(image, pid)
	return h.text(ctx, func(seq uint64) []byte {
		return protocol.Ask(protocol.KindCommand, seq, image)
	})
}

// Nameless returns the files that lack a name for some of the functions that were asked for.
func (h *Host) Nameless(ctx context.Context) (list []protocol.File, err error) {
	h.question++
	seq := h.question
	err = h.ask(ctx, protocol.Ask(protocol.KindNameless, seq, 0), nil, func(b []byte) bool {
		n, files, err := protocol.DecodeFiles(b)
		for _, f := range files {
			f.Clean(clean)
			list = append(list, f)
		}
		return err == nil && n == seq
	})
	return list, err
}

// Names returns the names of addresses and marks, in their order. An address that was not named has
// a frame that says so. When the child is lost at an image, another child names the rest.
func (h *Host) Names(ctx context.Context, list []protocol.Address) []protocol.Frame {
	out := make([]protocol.Frame, len(list))
	var ask []int
	for i, a := range list {
		out[i] = protocol.Frame{Name: "[unknown]", Kind: "unresolved"}
		switch {
		case a.Addr&protocol.Marked != 0 && a.Image != protocol.KernelImage:
			out[i] = h.codes.frame(a.Addr)
		case !h.banned[a.Image]:
			ask = append(ask, i)
		}
	}
	ctx, cancel := h.untilNamed(ctx)
	defer cancel()
	for len(ask) > 0 && ctx.Err() == nil && h.child != nil {
		n := min(len(ask), protocol.MaxAddresses)
		some := make([]protocol.Address, n)
		for k, i := range ask[:n] {
			some[k] = list[i]
		}
		frames, err := h.names(ctx, some)
		if err != nil {
			ask = h.allowed(list, ask)
			// Another child reads them. If that one is lost too, its restart reports it.
			_ = h.PerfMaps(ctx, h.perfMapped)
			continue
		}
		for k, i := range ask[:n] {
			out[i] = frames[k]
		}
		ask = ask[n:]
	}
	if errors.Is(context.Cause(ctx), errNames) {
		h.unnamed += len(ask)
	}
	return out
}

// allowed returns the places in list that ask has, without those of banned images.
func (h *Host) allowed(list []protocol.Address, ask []int) (rest []int) {
	for _, i := range ask {
		if !h.banned[list[i].Image] {
			rest = append(rest, i)
		}
	}
	return rest
}

// kinds are the kinds of frames that there are.
var kinds = []string{"unresolved", "native", "jit", "kernel", "placed", "interpreted"}

func (h *Host) names(
	ctx context.Context, list []protocol.Address,
) (frames []protocol.Frame, err error) {
	h.question++
	seq := h.question
	err = h.ask(ctx, protocol.Names(seq, list), nil, func(b []byte) bool {
		n, answer, err := protocol.DecodeFrames(b)
		frames = answer
		return err == nil && n == seq && len(answer) == len(list) && cleaned(answer)
	})
	return frames, err
}

// cleaned cleans the names of frames, and reports whether all are of a kind that there is.
func cleaned(frames []protocol.Frame) bool {
	for i := range frames {
		f := &frames[i]
		if !slices.Contains(kinds, f.Kind) {
			return false
		}
		f.Name, f.Module = clean(f.Name), clean(f.Module)
		f.BuildID, f.Near = clean(f.BuildID), clean(f.Near)
	}
	return true
}
