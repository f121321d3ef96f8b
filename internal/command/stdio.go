package command

import (
	"io"
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// Stdio has the streams that a subcommand reads and writes.
type Stdio struct {
	In       *os.File
	Out, Err io.Writer
}

// OutliveReaders makes a write to a pipe without a reader fail, instead of ending ebb at once:
// after `ebb run ... 2>&1 | head` the machine's frequencies must be put back and the report
// written. The signal is caught and not ignored, because the command would inherit that.
func OutliveReaders() { signal.Notify(make(chan os.Signal, 1), unix.SIGPIPE) }
