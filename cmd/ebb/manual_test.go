package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/command/commandtest"
)

// TestManualPages compares the pages in tools/dist/man with the help.
func TestManualPages(t *testing.T) {
	root := newRoot(command.Stdio{In: os.Stdin, Out: io.Discard, Err: io.Discard})
	commandtest.Pages(t, root, filepath.Join("..", "..", "tools", "dist", "man"),
		func(file string) bool { return !strings.HasPrefix(file, "ebb-lab") })
}
