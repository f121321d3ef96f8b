package main

import "io"

// byNetwork is the view that is no division of the processor's energy.
const byNetwork = "network"

// reportNetwork writes what a run's processes and threads sent and received.
func reportNetwork(out io.Writer, path, format, output string, top int) error {
	r, err := readReport(path)
	if err != nil {
		return err
	}
	if r.Network == nil {
		return usagef("%s: the run was not asked for network bytes: ebb run --network --report FILE", path)
	}
	switch format {
	case "text":
		return toFile(out, output, func(w io.Writer) error { return r.Network.WriteText(w, top) })
	case "json":
		return toFile(out, output, func(w io.Writer) error { return writeJSON(w, r.Network) })
	}
	return usagef("--by %s is shown as text or json, not as %s", byNetwork, format)
}
