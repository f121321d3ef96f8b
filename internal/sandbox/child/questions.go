package child

import (
	"errors"
	"io"
	"os"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/epochs/usdt"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/internal/stacks/symbols"
)

// mapsJVM answers whether an image is a Java machine.
func (c *child) mapsJVM(b []byte) error {
	seq, image, err := protocol.DecodeAsk(b, protocol.KindMapsJVM)
	if err != nil {
		return err
	}
	if !c.resolver.Maps(symbols.Image(image), usdt.JVMLibrary) {
		return c.done(seq, "", errNoJVM)
	}
	return c.done(seq, "", nil)
}

// nameAll answers with the names of addresses.
func (c *child) nameAll(b []byte) error {
	seq, list, err := protocol.DecodeNames(b)
	if err != nil {
		return err
	}
	out := make([]protocol.Frame, 0, len(list))
	for _, a := range list {
		c.progress.At(seq, a.Image)
		f := c.name(a)
		out = append(out, frame(f))
	}
	if err := c.report(); err != nil {
		return err
	}
	return c.governor.Send(protocol.Frames(seq, out))
}

// frame returns a frame as packets have it.
func frame(f symbols.Frame) protocol.Frame {
	return protocol.Frame{Name: f.Name, Module: f.Module, Kind: f.Kind.String(),
		BuildID: f.BuildID, Near: f.Near, Addr: f.Addr}
}

// name names an address. Before that, and without a pause, it finds the image's mappings and its
// Java virtual machine: they are the image's own, which samples need and Unbind closes.
func (c *child) name(a protocol.Address) symbols.Frame {
	if a.Image != protocol.KernelImage {
		c.resolver.Prepare(symbols.Image(a.Image)) // a child that was started again lacks these
	}
	c.between.naming = true
	defer func() { c.between.naming = false }()
	if a.Image == protocol.KernelImage {
		return c.resolver.Kernel(a.Addr)
	}
	return c.resolver.User(symbols.Image(a.Image), a.Addr, false)
}

func (c *child) perfMaps(b []byte) error {
	seq, images, err := protocol.DecodePerfMaps(b)
	if err != nil {
		return err
	}
	for _, i := range images {
		c.progress.At(seq, i)
		c.resolver.PerfMaps([]symbols.Image{symbols.Image(i)})
	}
	return c.done(seq, "", nil)
}

// switches answers which lists of its code a process was asked to write, with commas between them.
func (c *child) switches(b []byte) error {
	seq, image, err := protocol.DecodeAsk(b, protocol.KindSwitches)
	if err != nil {
		return err
	}
	return c.done(seq, strings.Join(c.resolver.Switches(symbols.Image(image)), ","), nil)
}

// done answers with a text, or with the reason why there is none.
func (c *child) done(seq uint64, text string, err error) error {
	reason := ""
	if err != nil {
		reason = err.Error()
	}
	return errors.Join(c.report(), c.governor.Send(protocol.Text(seq, text, reason)))
}

var errNoJVM = errors.New("it is no Java machine")

// answerPatience is the time that a Java machine may take to answer a command.
const answerPatience = 2 * time.Second

// attach makes a Java machine write down where its compiled code lies, as jcmd PID Compiler.perfmap
// does (HotSpot from JDK 17 on). A zero byte ends the command and each of its arguments.
func (c *child) attach(b []byte) error {
	seq, image, err := protocol.DecodeAsk(b, protocol.KindAttach)
	if err != nil {
		return err
	}
	c.progress.At(seq, image)
	if !c.resolver.Maps(symbols.Image(image), usdt.JVMLibrary) {
		return c.done(seq, "", errNoJVM)
	}
	f, err := c.opener.open(protocol.Open{What: protocol.Attached, Image: image})
	if err != nil {
		return c.done(seq, "", err)
	}
	defer f.Close()
	return c.done(seq, "", command(f))
}

func command(f *os.File) error {
	if err := f.SetDeadline(time.Now().Add(answerPatience)); err != nil {
		return err
	}
	if _, err := io.WriteString(f, "1\x00jcmd\x00Compiler.perfmap\x00\x00\x00"); err != nil {
		return err
	}
	answer, err := io.ReadAll(io.LimitReader(f, symbols.MaxAnswer))
	if err != nil {
		return err
	}
	return symbols.AttachAnswer(answer)
}

func (c *child) nameless(b []byte) error {
	seq, _, err := protocol.DecodeAsk(b, protocol.KindNameless)
	if err != nil {
		return err
	}
	c.resolver.SayEnded() // names are asked for when all is read
	if err := c.report(); err != nil {
		return err
	}
	var list []protocol.File
	for _, n := range c.resolver.Nameless() {
		list = append(list, protocol.File{
			Module: n.Module, Path: n.Path, BuildID: n.BuildID, DebugFile: n.DebugFile,
			Distribution: n.ID, Like: n.Like, Codename: n.Codename,
		})
	}
	return c.governor.Send(protocol.Files(seq, list))
}

// maxCommand bounds a command line, in bytes.
const maxCommand = 4000

func (c *child) command(b []byte) error {
	seq, image, err := protocol.DecodeAsk(b, protocol.KindCommand)
	if err != nil {
		return err
	}
	c.progress.At(seq, image)
	f, err := c.opener.open(protocol.Open{What: protocol.CommandLine, Image: image})
	if err != nil {
		return c.done(seq, "", err)
	}
	defer f.Close()
	line, err := io.ReadAll(io.LimitReader(f, maxCommand))
	text := strings.ReplaceAll(strings.TrimRight(string(line), "\x00"), "\x00", " ")
	return c.done(seq, text, err)
}
