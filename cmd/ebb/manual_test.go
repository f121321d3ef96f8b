package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/devtest"
)

// every is newRoot's for all subcommands.
func every(subcommand) bool { return true }

// TestManualPages compares the pages in tools/dist/man with the help.
func TestManualPages(t *testing.T) {
	root := newRoot(command.Stdio{In: os.Stdin, Out: io.Discard, Err: io.Discard}, every)
	devtest.ManualPages(t, &devtest.Manual{Root: root, Release: command.Release,
		Columns: command.VerbatimColumns, Dir: filepath.Join("..", "..", "tools", "dist", "man"),
		Mine: func(file string) bool { return !strings.HasPrefix(file, "ebb-lab") }})
}
