package cgroup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// UnitFiles lists the files from which systemd has read a unit: its own, and its drop-ins in the
// order in which they count.
type UnitFiles struct {
	Unit  string
	Files []string
}

// booted is there where systemd is the machine's init (sd_booted(3)).
var booted = "/run/systemd/system" // tests replace it

// Units returns the units that systemd knows and that can have processes, with their files. A
// machine without systemd has none.
func Units() ([]UnitFiles, error) {
	if _, err := exec.LookPath("systemctl"); err != nil {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), askTime)
	defer cancel()
	args := []string{"show", "--all", "--property=Id,LoadState,FragmentPath,DropInPaths", "--"}
	for _, kind := range kinds {
		args = append(args, "*"+kind)
	}
	out, err := systemctl(ctx, args...).Output()
	if err == nil {
		return parseUnits(string(out))
	}
	if _, no := os.Stat(booted); no != nil {
		return nil, nil
	}
	var exit *exec.ExitError
	if said := sentence(stderrOf(err, &exit)); said != "" {
		err = errors.New(said)
	}
	return nil, fmt.Errorf("ask systemd for its units' files: systemctl show: %w", err)
}

// systemctl returns the command without the socket on which systemd waits for ebb's own notices.
// With the socket it would send one as well at its end, and wait where nobody reads.
func systemctl(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "systemctl", args...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return strings.HasPrefix(variable, "NOTIFY_SOCKET=")
	})
	return cmd
}

// askTime bounds a question to systemd.
const askTime = 10 * time.Second

// parseUnits reads the output of systemctl show, in which an empty line ends a unit.
func parseUnits(text string) (all []UnitFiles, err error) {
	for block := range strings.SplitSeq(text, "\n\n") {
		var u UnitFiles
		load, drop := "", ""
		for line := range strings.Lines(block) {
			key, value, _ := strings.Cut(strings.TrimRight(line, "\n"), "=")
			switch key {
			case "Id":
				u.Unit = value
			case "LoadState":
				load = value
			case "FragmentPath":
				if value != "" { // else it has drop-ins alone
					u.Files = append(u.Files, value)
				}
			case "DropInPaths":
				drop = value
			}
		}
		if load != "loaded" || u.Unit == "" {
			continue
		}
		more, err := words(drop)
		if err != nil {
			return nil, fmt.Errorf("systemctl show: the drop-ins of %s: %w", u.Unit, err)
		}
		if u.Files = append(u.Files, more...); len(u.Files) > 0 {
			all = append(all, u)
		}
	}
	return all, nil
}

// words splits a list as systemctl prints it: what a shell would not take as a single word is in
// quotes, in which a backslash has the next character stand for itself.
func words(text string) (all []string, err error) {
	for text = strings.TrimLeft(text, " "); text != ""; text = strings.TrimLeft(text, " ") {
		if text[0] != '"' {
			word, rest, _ := strings.Cut(text, " ")
			all, text = append(all, word), rest
			continue
		}
		var word strings.Builder
		i := 1
		for ; i < len(text) && text[i] != '"'; i++ {
			if text[i] == '\\' && i+1 < len(text) {
				i++
			}
			word.WriteByte(text[i])
		}
		if i >= len(text) {
			return nil, fmt.Errorf("a quote is not closed in %.80q", text)
		}
		all, text = append(all, word.String()), text[i+1:]
	}
	return all, nil
}
