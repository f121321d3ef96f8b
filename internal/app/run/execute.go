package run

import (
	"context"
	"errors"
	"fmt"

	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/command"
)

// Execute governs the command, or the target of the settings, to its end. internal/command knows
// its errors: a command's own status, a mistake that the user can correct, or a failure of ebb's.
func Execute(ctx context.Context, s *Settings, argv []string, std command.Stdio) (err error) {
	if err := s.Complete(argv); err != nil {
		return err
	}
	signals := command.CatchSignals(nil)
	defer signals.Stop()
	r, err := open(signals.Opening, s, argv, std.Err)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	announce := func() {
		if !s.Quiet {
			r.announce(std.Err, argv)
		}
	}
	if !s.attaches() { // before the command's own output
		announce()
	}
	if sig := signals.Ending(); sig != 0 {
		return command.StatusError(command.BySignal(sig))
	}
	if err := r.start(signals.Opening, argv); err != nil {
		if cause := context.Cause(signals.Opening); cause != nil { // it may have ended a launcher
			return errors.Join(err, cause)
		}
		return part.Explain(err)
	}
	if s.attaches() { // once there certainly is something to govern
		announce()
	}
	r.end.hurried, r.end.reached = signals.Hurried, signals.Ended
	r.obeys(signals)
	signals.Forward(r.Host)
	runErr := r.govern(ctx)
	if err := r.conclude(); err != nil {
		return err
	}
	if runErr != nil {
		return fmt.Errorf("govern %s: %w", r.target, runErr)
	}
	if r.unmeasured != nil {
		return fmt.Errorf("measure %s: %w", r.target, r.unmeasured)
	}
	if state := r.Host.ExitState(); state != nil {
		if code := command.OfProgram(state); code != command.OK {
			return command.StatusError(code)
		}
	} else if sig := signals.Interrupted(); sig != 0 && r.Host.Launched() {
		return command.StatusError(command.BySignal(sig)) // the command lives on
	}
	return nil
}
