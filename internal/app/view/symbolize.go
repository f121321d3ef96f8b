package view

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/internal/sandbox"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
)

// symbolSource finds files that may have the symbols of a file. It returns the nth of them, or
// fs.ErrNotExist.
type symbolSource interface {
	Find(ctx context.Context, f *unnamed, nth int) (*os.File, error)
}

// Bounds of the symbols that are looked for in one report: the files with the most stacks, the
// functions of one file, and the tries for it.
const (
	maxFiles = 64
	maxAddrs = 1 << 14
	maxTries = 8 // most files of symbols tried for one file
)

// nameFunctions names the functions of a profile by a source, and says a sentence on the result for
// each file.
func nameFunctions(
	ctx context.Context, p *profile.Profile, from symbolSource, say func(string),
) error {
	list := unnamedOf(p)
	if len(list) == 0 {
		say("all functions of files with a build id have names")
	}
	for i := range list[:min(len(list), maxFiles)] {
		f := &list[i]
		if !isBuildID(f.BuildID) {
			continue // somebody may have edited the report
		}
		f.Addrs = f.Addrs[:min(len(f.Addrs), maxAddrs)]
		text, err := one(ctx, p, f, from)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			text = err.Error()
		}
		say(fmt.Sprintf("%s: %s", called(f), printable.Name(text)))
	}
	return nil
}

// one names the functions of a file, and returns which file had them.
func one(
	ctx context.Context, p *profile.Profile, f *unnamed, from symbolSource,
) (string, error) {
	var failed error
	for nth := range maxTries {
		s, err := from.Find(ctx, f, nth)
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return "", err
		}
		names, err := sandbox.Symbols(ctx, s, f.BuildID, f.Addrs)
		_ = s.Close() // it was only read
		if err != nil {
			failed = err
			continue
		}
		of := map[uint64]string{}
		for i, name := range names {
			of[f.Addrs[i]] = name
		}
		return fmt.Sprintf("%d of %s named by %s", symbolize(p, f.BuildID, of),
			printable.Count(len(f.Addrs), "function"), s.Name()), nil
	}
	if failed == nil {
		failed = errors.New("no file has its symbols")
	}
	return "", failed
}

// called returns the name of a file in a sentence.
func called(f *unnamed) string {
	name := f.Path
	if name == "" {
		name = f.Module
	}
	return printable.Name(name) + " (build id " + f.BuildID + ")"
}

// isBuildID reports whether a text can be part of a path or an argument.
func isBuildID(id string) bool {
	b, err := hex.DecodeString(id)
	return err == nil && len(b) > 2 && len(b) <= protocol.MaxBuildID && strings.ToLower(id) == id
}
