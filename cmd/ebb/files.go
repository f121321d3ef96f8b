package main

import (
	"encoding/json"
	"io"
	"os"

	"github.com/ebb-energy/ebb/internal/output"
	"github.com/ebb-energy/ebb/internal/printable"
)

// fileFor begins a file that a flag names. What is wrong with the name is the user's to mend.
func fileFor(flag, path string) (*output.File, error) {
	f, err := output.Create(path)
	if err != nil {
		return nil, usagef("%s: %w", flag, err)
	}
	return f, nil
}

// toFile writes to standard output, or to a file when one is named.
func toFile(out io.Writer, path string, write func(io.Writer) error) error {
	if path == "" {
		return write(out)
	}
	f, err := fileFor("--output", path)
	if err != nil {
		return err
	}
	return f.Fill(write)
}

// notItself refuses to write to a file that is read: by a slip of the hand it would be lost.
func notItself(path string, read ...string) error {
	at, err := os.Stat(path)
	if path == "" || err != nil || !at.Mode().IsRegular() {
		return nil
	}
	for _, name := range read {
		if info, err := os.Stat(name); err == nil && os.SameFile(at, info) {
			return usagef("--output %s: it is the report that is read", path)
		}
	}
	return nil
}

// writeJSON is how all JSON of ebb's is written.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(printable.JSON(w))
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
