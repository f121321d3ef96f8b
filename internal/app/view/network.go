package view

import (
	"io"

	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/energy/profile"
)

// ByNetwork is the view of the network, the only one that does not divide the processor's energy.
const ByNetwork = "network"

// reportNetwork writes the bytes that a run's processes and threads sent and received, and its
// methods if they were sampled.
func reportNetwork(out io.Writer, path, format, output string, library []string, top int) error {
	r, err := readReport(path)
	if err != nil {
		return err
	}
	if r.Network == nil {
		return command.Usagef(
			"%s: the run did not count network bytes: use ebb run --network --report FILE", path,
		)
	}
	methods, err := movers(path, r.Attribution, library)
	if err != nil {
		return err
	}
	switch format {
	case "text":
		return command.ToFile(out, output, func(w io.Writer) error {
			err := r.Network.WriteText(w, top, command.PageWidth(w))
			if err != nil || methods == nil {
				return err
			}
			if _, err := io.WriteString(w, "\n"); err != nil {
				return err
			}
			return r.Attribution.WriteMovers(w, methods, top, command.PageWidth(w))
		})
	case "json":
		return command.ToFile(out, output, func(w io.Writer) error {
			return command.WriteJSON(w, struct {
				*report.Network
				Methods []profile.Row `json:"methods,omitempty"`
			}{r.Network, methods})
		})
	}
	return command.Usagef("--by %s is shown as text or json, not as %s", ByNetwork, format)
}

// movers returns the methods that sent or received something; nil if the run did not sample
// methods.
func movers(path string, p *profile.Profile, library []string) ([]profile.Row, error) {
	if p == nil || p.Network == nil || p.Unsampled() {
		return nil, nil
	}
	if err := p.Check(); err != nil {
		return nil, command.Usagef("%s: %w", path, err)
	}
	v, err := profile.NewView(p, "method", library)
	if err != nil {
		return nil, command.UsageError(err)
	}
	return profile.Movers(p.Rows(v, 0)), nil
}
