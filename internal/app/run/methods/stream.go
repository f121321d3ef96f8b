package methods

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/energy/attribution"
	"github.com/ebb-energy/ebb/internal/energy/stream"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/internal/safefile"
)

// Bounds of the time between two lines. A window of the ledger is 100 ms.
const (
	defaultEvery = time.Second
	leastEvery   = attribution.Period
	mostEvery    = time.Hour
)

// CheckStream refuses times between lines that no run can have.
func CheckStream(s *part.Stream) error {
	if s.Every != 0 && (s.Every < leastEvery || s.Every > mostEvery) {
		return command.Usagef("--interval %s: it can be %s to %s", printable.Given(s.Every),
			printable.Given(leastEvery), printable.Given(mostEvery))
	}
	return nil
}

// Streaming writes lines by processes of its own, so that the run never waits.
type Streaming struct {
	part.Passive
	command string
	file    *safefile.File  // nil: none
	lines   *command.Scribe // writer of the lines of JSON; nil: none
	table   *command.Scribe // writer of the table; nil: none is printed
	width   int
	name    string // name of the file
	err     error  // error of a line that could not be made
}

// OpenStream opens the display of a run. It finishes after the attribution, which makes the last
// line.
func OpenStream(r *part.Run, argv []string, messages io.Writer) (_ *Streaming, err error) {
	s := &r.Settings.Stream
	if !s.Wanted() {
		return nil, nil
	}
	o := &Streaming{command: strings.Join(argv, " "), name: s.File,
		width: command.PageWidth(messages)}
	if len(argv) == 0 {
		o.command = r.Program.String()
	}
	r.Opened.Push(o.release)
	if s.File != "" {
		if err := o.openFile(s.File); err != nil {
			return nil, err
		}
	}
	if to, ok := messages.(*os.File); ok && s.Every != 0 {
		if o.table, err = command.StartScribe(to); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// openFile opens the file of lines, which has its name from then on.
func (s *Streaming) openFile(path string) (err error) {
	if s.file, err = command.FileFor("--stream", path); err != nil {
		return err
	}
	if err := s.file.Publish(); err != nil {
		return err
	}
	to, err := s.file.Handle()
	if err != nil {
		return err
	}
	defer to.Close()
	s.lines, err = command.StartScribe(to)
	return err
}

// attribute returns the settings with which the attribution makes the lines.
func (s *Streaming) attribute(wanted *part.Stream, m *methods) *attribution.Live {
	if s == nil {
		return nil
	}
	every := wanted.Every
	if every == 0 {
		every = defaultEvery
	}
	live := &attribution.Live{Every: every, Take: s.take, Look: m.lookUp}
	if m.reader != nil {
		live.Namer = m.reader
	}
	return live
}

// mostLines bounds each list of a table.
const mostLines = 5

// take writes a line.
func (s *Streaming) take(l *stream.Line) {
	l.Command = s.command
	if s.lines != nil {
		l.Dropped = s.lines.Dropped()
		text, err := l.Encode()
		if err != nil {
			s.err = err
		} else {
			var b bytes.Buffer
			_, _ = printable.JSON(&b).Write(text) // writes to memory, which never fails
			s.lines.Offer(b.Bytes())
		}
	}
	if s.table != nil {
		var b bytes.Buffer
		if err := l.WriteText(&b, mostLines, s.width); err == nil {
			s.table.Offer(b.Bytes())
		}
	}
}

// finish writes the remaining lines, and warns of lost ones.
func (s *Streaming) Finish(_ context.Context, r *report.Report) error {
	if s.table != nil {
		_ = s.table.Close() // nobody loses anything by a terminal that takes nothing
	}
	if s.lines == nil {
		return nil
	}
	dropped := s.lines.Dropped()
	if err := errors.Join(s.err, s.lines.Close()); err != nil {
		part.Warn(r, fmt.Sprintf("--stream %s: %v", s.name, err))
	}
	if dropped > 0 {
		part.Warn(r, fmt.Sprintf("--stream %s: %s dropped, because nobody took them in time",
			s.name, printable.Count(int64(dropped), "line")))
	}
	return nil
}

func (s *Streaming) release() (err error) {
	for _, scribe := range []*command.Scribe{s.table, s.lines} {
		if scribe != nil {
			_ = scribe.Close() // its failure was reported before
		}
	}
	if s.file != nil {
		err = s.file.Close()
	}
	return err
}

// lookUp finds the process and the name of a thread that lives, in the kernel's words: the lines
// Name and Tgid of /proc/TID/status (proc_pid_status(5)).
func (m *methods) lookUp(t epochs.TID) (pid int32, comm string, ok bool) {
	pid, comm, ok = LookUp(m.host.OwnID(t))
	return int32(m.host.FirstID(int(pid))), comm, ok
}

// LookUp finds the same by an id in ebb's own PID namespace.
func LookUp(t int) (pid int32, comm string, ok bool) {
	fd, err := unix.Open(fmt.Sprintf("/proc/%d/status", t), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, "", false
	}
	defer unix.Close(fd)
	var text [512]byte
	n, err := unix.Read(fd, text[:])
	if err != nil {
		return 0, "", false
	}
	return parseStatus(string(text[:n]))
}

// parseStatus reads the two lines. The kernel writes a name's end of line as \n.
func parseStatus(text string) (pid int32, comm string, ok bool) {
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":\t")
		switch key {
		case "Name":
			comm = value
		case "Tgid":
			_, err := fmt.Sscan(value, &pid)
			return pid, comm, err == nil && pid > 0
		}
	}
	return 0, "", false
}
