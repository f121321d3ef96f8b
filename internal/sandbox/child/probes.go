package child

import (
	"io"
	"os"

	"github.com/ebb-energy/ebb/epochs/usdt"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
)

// maxMaps bounds the part of a process's list of mappings that is read, in bytes.
const maxMaps = 8 << 20

// runtimes answers with where a process has mapped a JVM's library.
func (c *child) runtimes(b []byte) error {
	seq, image, err := protocol.DecodeAsk(b, protocol.KindRuntimes)
	if err != nil {
		return err
	}
	c.progress.At(seq, image)
	f, err := c.opener.open(protocol.Open{What: protocol.Maps, Image: image})
	if err != nil {
		return c.governor.Send(protocol.Ranges(seq, nil, true)) // it has ended
	}
	defer f.Close()
	maps, err := io.ReadAll(io.LimitReader(f, maxMaps))
	if err != nil {
		return c.governor.Send(protocol.Ranges(seq, nil, true))
	}
	ranges, all := usdt.Mappings(maps, usdt.JVMLibrary)
	var list []protocol.Range
	for _, r := range ranges {
		list = append(list, protocol.Range(r))
	}
	return c.governor.Send(protocol.Ranges(seq, list, all))
}

// probes answers with where a file's probes are.
func (c *child) probes(b []byte, file *os.File) error {
	seq, _, err := protocol.DecodeAsk(b, protocol.KindProbes)
	if err != nil {
		return err
	}
	if file == nil {
		return protocol.ErrMalformed
	}
	var at usdt.Collector
	info, err := file.Stat()
	if err == nil {
		at, err = usdt.FindCollector(file, info.Size())
	}
	reason := ""
	if err != nil {
		reason = err.Error()
	}
	return c.governor.Send(protocol.Offsets(seq, at.Begins, at.Ends, reason))
}

// events answers with the events that a file reports, and their places.
func (c *child) events(b []byte, file *os.File) error {
	seq, _, err := protocol.DecodeAsk(b, protocol.KindEvents)
	if err != nil {
		return err
	}
	if file == nil {
		return protocol.ErrMalformed
	}
	out := protocol.FileEvents{Seq: seq}
	var found []usdt.Event
	info, err := file.Stat()
	if err == nil {
		found, err = usdt.FindEvents(file, info.Size())
	}
	if err != nil {
		out.Reason = err.Error()
	}
	for _, e := range found {
		out.Events = append(out.Events, protocol.Event(e))
	}
	return c.governor.Send(out.Encode())
}
