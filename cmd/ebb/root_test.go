package main

import (
	"io"
	"testing"

	"github.com/ebb-energy/ebb/internal/command"
)

// TestOnlyTheAskedCommandIsMade: a subcommand has the name by which it is asked for, and is alone
// when it is.
func TestOnlyTheAskedCommandIsMade(t *testing.T) {
	std := command.Stdio{Out: io.Discard, Err: io.Discard}
	for _, h := range headings {
		for _, c := range h.has {
			root := newRoot(std, func(o subcommand) bool { return o.name == c.name })
			for _, sub := range root.Commands() {
				if name := sub.Name(); name != c.name && name != "completion" {
					t.Errorf("%s: %s is made too", c.name, name)
				}
			}
			if sub, _, err := root.Find([]string{c.name}); err != nil || sub.Name() != c.name {
				t.Errorf("%s: its command is %s: %v", c.name, sub.Name(), err)
			}
		}
	}
}
