package command

import (
	"encoding/json"
	"io"
	"os"

	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/internal/safefile"
)

// FileFor creates a file that a flag names. A bad name is an error that the user can correct.
func FileFor(flag, path string) (*safefile.File, error) {
	f, err := safefile.Create(path)
	if err != nil {
		return nil, Usagef("%s: %w", flag, err)
	}
	return f, nil
}

// ToFile writes to standard output, or to the file of --output when one is named.
func ToFile(out io.Writer, path string, write func(io.Writer) error) error {
	if path == "" {
		return write(out)
	}
	f, err := FileFor("--output", path)
	if err != nil {
		return err
	}
	return f.Fill(write)
}

// NotItself refuses to write to a file that is also read, which a typing error would destroy.
func NotItself(path string, read ...string) error {
	at, err := os.Stat(path)
	if path == "" || err != nil || !at.Mode().IsRegular() {
		return nil
	}
	for _, name := range read {
		if info, err := os.Stat(name); err == nil && os.SameFile(at, info) {
			return Usagef("--output %s: it is a file that is read", path)
		}
	}
	return nil
}

// WriteJSON writes ebb's JSON output.
func WriteJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(printable.JSON(w))
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
