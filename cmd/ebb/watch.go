package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/energy/export"
	"github.com/ebb-energy/ebb/internal/energy/stream"
	"github.com/ebb-energy/ebb/internal/safefile"
)

func newWatch(std command.Stdio) *cobra.Command {
	var v watch
	cmd := &cobra.Command{
		Use:   "watch [flags] FILE",
		Short: "show a run's energy while it goes on",
		Long: `Shows what ebb run --stream FILE writes, while it grows: on a terminal a table
that is drawn anew, elsewhere one table after the other, or with -o a page that
a browser loads again by itself, from a file, without a server. It ends with
the run, or with Ctrl-C. A file that has ended is shown once.`,
		Example: `  sudo ebb run --methods --stream app.jsonl -- java -jar app.jar &
  ebb watch app.jsonl
  ebb watch app.jsonl -o app.html
  ebb watch app.jsonl --once --json`,
		Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			if v.top < 1 {
				return command.Usagef("--top %d: it is 1 or more", v.top)
			}
			if v.json && (!v.once || v.page != "") {
				return command.Usagef("--json shows the newest line: it needs --once, and no " +
					"--output")
			}
			if err := command.NotItself(v.page, args[0]); err != nil {
				return err
			}
			return v.follow(cmd.Context(), args[0], std.Out)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&v.page, "output", "o", "", "write a page to this `FILE`, and keep it up to date")
	f.BoolVar(&v.once, "once", false, "show the newest line and end")
	f.BoolVar(&v.json, "json", false, "with --once: show it as JSON")
	f.IntVar(&v.top, "top", 10, "show `N` lines of each table")
	return cmd
}

// watch has the values of watch's flags.
type watch struct {
	page       string
	once, json bool
	top        int
}

const (
	// mostOfFile bounds the part of an existing file that is read, in bytes.
	mostOfFile = 64 << 20
	// lookEvery is the time after which a file that has not grown is read again.
	lookEvery = 200 * time.Millisecond
)

// follow reads lines until the run has ended.
func (w *watch) follow(ctx context.Context, path string, out io.Writer) error {
	f, err := safefile.Open(path)
	if err != nil {
		return command.UsageError(err)
	}
	defer f.Close() // opened for reading: nothing can be lost
	grows, err := seekTail(f)
	if err != nil {
		return command.UsageError(err)
	}
	var h stream.History
	in := lines{in: bufio.NewReaderSize(f, 1<<16)}
	read := false // at least one line was read
	for {
		text, err := in.next()
		if err == nil {
			read = true
			h.Add(text)
			if in.in.Buffered() > 0 || w.once {
				continue // a newer line is already there
			}
			if err := w.show(&h, out); err != nil || ended(&h) {
				return err
			}
			continue
		}
		if errors.Is(err, stream.ErrFormat) {
			return command.Usagef("%s: %w", path, err)
		} else if !errors.Is(err, io.EOF) {
			return command.UsageError(err)
		}
		if ended(&h) || w.once || !grows || read && h.Last == nil {
			break
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(lookEvery):
		}
	}
	if h.Last == nil {
		return command.Usagef("%s: %w", path, stream.ErrFormat)
	}
	return w.show(&h, out)
}

func ended(h *stream.History) bool { return h.Last != nil && h.Last.Ended }

// seekTail goes to the last part of a file, and reports whether it is one that can grow.
func seekTail(f io.Reader) (grows bool, err error) {
	file, ok := f.(*os.File)
	if !ok {
		return false, nil
	}
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return false, err
	}
	if info.Size() > mostOfFile {
		_, err = file.Seek(-mostOfFile, io.SeekEnd)
	}
	return true, err
}

// lines reads whole lines. The beginning of one that is not whole yet is kept.
type lines struct {
	in   *bufio.Reader
	part []byte
	read int  // bytes read of the line
	long bool // the line is longer than any may be; its rest is left out
}

func (l *lines) next() ([]byte, error) {
	for {
		some, err := l.in.ReadSlice('\n')
		if l.read += len(some); l.read > mostOfFile { // perhaps a device, which would never end
			return nil, fmt.Errorf("a line of more than %d bytes: %w", mostOfFile, stream.ErrFormat)
		}
		if l.long = l.long || len(l.part)+len(some) > stream.MaxLine; !l.long {
			l.part = append(l.part, some...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return nil, err
		}
		text := bytes.Clone(l.part)
		if l.long {
			text = []byte("?") // not a valid line
		}
		l.part, l.read, l.long = l.part[:0], 0, false
		return text, nil
	}
}

// show shows the newest line.
func (w *watch) show(h *stream.History, out io.Writer) error {
	if h.Last == nil {
		return nil
	}
	switch {
	case w.page != "":
		return safefile.Whole(w.page, func(to io.Writer) error { return export.WriteStream(to, h) })
	case w.json:
		return command.WriteJSON(out, h.Last)
	}
	var b bytes.Buffer
	if _, terminal := command.Terminal(out); terminal && !w.once {
		fmt.Fprint(&b, "\x1b[H\x1b[J")
	}
	if err := h.Last.WriteText(&b, w.top, command.PageWidth(out)); err != nil {
		return err
	}
	_, err := out.Write(b.Bytes())
	return err
}
