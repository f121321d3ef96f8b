// Package governor is the control core of ebb: it turns what the scheduler did into frequencies.
//
// The core is a value machine. Its only inputs are Events and its only outputs are Actions:
//
//	Machine.Next -> Event -> Governor.Step -> Action -> Machine.Apply
//
// A Machine is everything the core needs of the world: this host (package governor/live), a
// recording (package governor/replay) or a simulation. The result of an action comes back as an
// Event, so a recording of the events is complete and replays bit for bit. The core reads no clock;
// events carry their time.
//
// # A Machine's duties
//
//  1. The first event is Begin, the last one End; after it Next returns io.EOF.
//  2. Sched events may arrive slightly out of order. A Sched event of kind epochs.Tick promises
//     that every event up to its time has been delivered; the core acts only on what a tick has
//     confirmed.
//  3. Lost records come as Sched events of kind epochs.Lost, in their place.
//  4. An Ending event comes when the target was asked to end. From then on the core asks for the
//     highest frequency, at once and with each decision.
//  5. Apply starts an action and reports how it went by an Applied event. Its own error ends the
//     run: it reports a failure that no governor can answer, such as a recording that differs.
//  6. After a Rest action ticks may be left out, as Silence says. A machine need not leave out any.
//
// # A quantum
//
// Quanta lie on a grid of the monotonic clock. At a quantum's end the epochs of the quantum are
// complete or, when slices are still open a quantum later, given up as a hole. The policy then sees
// the predicted durations and decides; the decision appears as a Decided action, and as a
// SetFrequency action when the frequency changes. With a hold-off of h only the first quantum of h
// is profiled (DEP+BURST, sections 6.1.1 and 6.1.4).
//
// # A decision
//
// A decision is six stages: the governor measures, believes of the clock (package clockwatch),
// learns from past predictions (package correction), predicts, accounts for what was used (package
// saving) and chooses (package policy). Each stage returns one value, and the emitted Quantum is
// these values together, so a field's type names the stage that set it. Governor.decide calls them
// in turn.
package governor
