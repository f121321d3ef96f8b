package view

import (
	"context"
	"io"
	"os"
	"strings"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// openSymbols finds out where symbols come from, and says which servers are asked before it asks
// any.
func (v *reportView) openSymbols(ctx context.Context, says io.Writer) error {
	say := func(text string) { printable.Fprintf(says, "ebb: %s\n", text) }
	var from []symbolSource
	if v.debugDir != "" {
		if info, err := os.Stat(v.debugDir); err != nil {
			return command.Usagef("--debug-dir: %w", err)
		} else if !info.IsDir() {
			return command.Usagef("--debug-dir %s: it is no directory", v.debugDir)
		}
		from = append(from, symbolDirectory(v.debugDir))
	}
	if v.debuginfod {
		d, err := newDebuginfod(os.Getenv("DEBUGINFOD_URLS"), os.Geteuid() == 0)
		if err != nil {
			return command.Usagef("--debuginfod: %w", err)
		}
		say("asks for symbols, by files' build ids: " + strings.Join(d.Hosts(), ", "))
		from = append(from, d)
	}
	if len(from) == 0 {
		return nil
	}
	v.symbols = func(p *profile.Profile) error {
		for _, s := range from {
			if err := nameFunctions(ctx, p, s, say); err != nil {
				return err
			}
		}
		return nil
	}
	return nil
}

// symbolize names functions of a profile where that was asked for.
func (v *reportView) symbolize(p *profile.Profile) error {
	if v.symbols == nil {
		return nil
	}
	return v.symbols(p)
}
