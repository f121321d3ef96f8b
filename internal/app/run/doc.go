// Package run makes one governed run: it takes control of the machine's frequencies, lets the
// governor govern one target, restores the frequencies and reports.
//
// A run has a small core, which every run needs: the target, the actuator with its guardian, the
// tracer, the host and the governor. Everything else that watches or writes is an instrument.
// Instruments are a list: they are opened in order, see the target start, may observe each event,
// finish the report in order and are closed in the reverse order.
//
// At the end the frequencies come first. They are restored the moment the governor returns, even by
// a panic, and before any instrument finishes: instruments read files and write to pipes that
// others have made, and can take long.
package run
