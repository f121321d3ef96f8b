package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/ebb-energy/ebb/governor/live"
	"github.com/ebb-energy/ebb/internal/app/serve/front"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/power/activity/jvm"
	"github.com/ebb-energy/ebb/internal/sandbox"
	"github.com/ebb-energy/ebb/internal/sandbox/child"
	"github.com/ebb-energy/ebb/internal/sandbox/opener"
)

// hidden are the subcommands that ebb runs itself, as processes of its own binary.
var hidden = map[string]func() error{
	sandbox.ChildCommand:  child.Main,
	sandbox.OpenerCommand: opener.Main,
	sandbox.FrontCommand:  front.Main,
	command.ScribeCommand: command.ServeScribe,
	jvm.ProbeLoop:         func() error { return jvm.RunProbeLoop(os.Stdin, os.Stdout) },
}

// isHidden runs such a subcommand and returns true if args name one.
func isHidden(args []string) (command.Status, bool) {
	if len(args) != 2 || hidden[args[1]] == nil {
		return command.OK, false
	}
	if err := errors.Join(live.Ordinary(), hidden[args[1]]()); err != nil {
		fmt.Fprintf(os.Stderr, "ebb: %v\n", err)
		return command.Failed, true
	}
	return command.OK, true
}
