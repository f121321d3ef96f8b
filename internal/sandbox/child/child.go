package child

import (
	"errors"
	"io"
	"os"

	"github.com/ebb-energy/ebb/internal/linux/unixconn"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/internal/stacks/symbols"
	"github.com/ebb-energy/ebb/internal/stacks/unwind"
)

// child answers the governor. It is for one goroutine.
type child struct {
	governor     *unixconn.Conn
	opener       opener
	progress     *protocol.Progress
	resolver     *symbols.Resolver
	sentCodes    map[protocol.Image]int // number of codes that the governor has, by image
	sentProblems int                    // number of problems that the governor has
	stacks       []byte                 // the packet of answers that is being filled
	functions    functions
	log          logged
	thread       unwind.Thread
	pipe         pipe
	between      between
	installed    *symbols.Installed // the file of symbols that questions are about
}

// newChild makes a child that reads nothing yet.
func newChild(governor *unixconn.Conn, progress *protocol.Progress) *child {
	c := &child{governor: governor, progress: progress, sentCodes: map[protocol.Image]int{},
		pipe: pipe{fd: -1}, between: between{buf: make([]byte, protocol.MaxPacket)}}
	c.opener.stuck = func() {
		_ = governor.Send([]byte{byte(protocol.KindStuck)}) // the governor has gone if it fails
	}
	c.resolver = symbols.NewResolver(&c.opener)
	c.resolver.Pause(c.pause)
	return c
}

// serve answers until the governor has gone. Begin is called before each packet.
func (c *child) serve(begin func()) error {
	if err := c.governor.Send([]byte{byte(protocol.KindReady)}); err != nil {
		return err
	}
	buf := make([]byte, protocol.MaxPacket)
	for {
		packet, fd, err := c.next(buf)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		begin()
		if err := c.answer(packet, fd); err != nil {
			return err
		}
		c.progress.At(0, 0)
	}
}

func (c *child) answer(b []byte, fd int) error {
	if fd >= 0 && len(b) > 0 && protocol.Kind(b[0]) == protocol.KindPeer {
		c.opener.connect(unixconn.New(fd))
		return nil
	}
	var file *os.File
	if fd >= 0 {
		file = os.NewFile(uintptr(fd), "file")
		defer file.Close()
	}
	if len(b) == 0 {
		return protocol.ErrMalformed
	}
	switch kind := protocol.Kind(b[0]); kind {
	case protocol.KindSamples:
		return c.walkAll(b)
	case protocol.KindUnbind:
		_, image, err := protocol.DecodeAsk(b, kind)
		c.resolver.Replaced(symbols.Image(image))
		return err
	case protocol.KindForget:
		image, err := protocol.DecodeForget(b)
		c.resolver.Forget(symbols.Image(image))
		delete(c.sentCodes, image)
		return err
	case protocol.KindNames:
		return c.nameAll(b)
	case protocol.KindPerfMaps:
		return c.perfMaps(b)
	case protocol.KindAttach:
		return c.attach(b)
	case protocol.KindNameless:
		return c.nameless(b)
	case protocol.KindCommand:
		return c.command(b)
	case protocol.KindSwitches:
		return c.switches(b)
	case protocol.KindMapsJVM:
		return c.mapsJVM(b)
	case protocol.KindRuntimes:
		return c.runtimes(b)
	case protocol.KindProbes:
		return c.probes(b, file)
	case protocol.KindEvents:
		return c.events(b, file)
	case protocol.KindAskEntries:
		return c.entries(b, file)
	case protocol.KindAskSymbols:
		return c.symbols(b, file)
	case protocol.KindRings:
		return c.records(b, file)
	case protocol.KindCalls:
		return c.calls(b)
	case protocol.KindSaw:
		return c.saw(b)
	case protocol.KindHooked:
		return c.hooked(b)
	case protocol.KindAskOrigins:
		return c.origins(b)
	case protocol.KindAskReadings:
		return c.readings(b, file)
	case protocol.KindMarks:
		return c.marked(b, file)
	}
	return protocol.ErrMalformed
}

// report sends the problems that are new.
func (c *child) report() error {
	all := c.resolver.Problems
	for ; c.sentProblems < len(all); c.sentProblems++ {
		if err := c.governor.Send(protocol.Problem(all[c.sentProblems])); err != nil {
			return err
		}
	}
	return nil
}
