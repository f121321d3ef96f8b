package main

import (
	"context"
	"errors"
	"time"

	"github.com/ebb-energy/ebb/internal/command"
)

// hurry bounds how long the end of a run may still take once a second ending signal has come.
const hurry = 2 * time.Second

var errAbandoned = errors.New(
	"the run's end was interrupted: its report and summary may be missing",
)

// conclude is finish, and returns soon after the user wants it to, though a name or a file may be
// waited for in vain: what finish does then goes on until the process ends. The frequencies are
// back already.
func (n *session) conclude(std command.Stdio, quiet bool) error {
	finished := make(chan error, 1)
	go func() { finished <- n.finish(std, quiet) }()
	select {
	case err := <-finished:
		return err
	case <-n.hurried:
	}
	select {
	case err := <-finished:
		return err
	case <-time.After(hurry):
		n.abandoned.Store(true)
		return errAbandoned
	}
}

// isHurried says whether the end is to be quick.
func (n *session) isHurried() bool {
	select {
	case <-n.hurried:
		return true
	default:
		return false
	}
}

// name makes the attribution, unless the end is to be quick: names come from what others have
// written, and may take long.
func (n *session) name() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-n.hurried:
			cancel()
		case <-ctx.Done():
		}
	}()
	r := &n.report
	if err := n.methods.finish(ctx, n); err != nil {
		r.Warnings = append(r.Warnings, "attribution: "+err.Error())
	}
	if n.isHurried() {
		r.Attribution = nil
		r.Warnings = append(r.Warnings, "attribution: interrupted, so the report has none")
	}
}
