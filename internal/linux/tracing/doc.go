// Package tracing has what all tracing with BPF shares: the files that take breakpoints, the errors
// by which the kernel refuses, what closes all that was opened, and the consumer's side of a ring
// buffer (Documentation/bpf/ringbuf.rst in the kernel).
//
// Ring is not cilium's ringbuf.Reader for four reasons. A tracer's promise of completeness must
// distinguish "empty up to here" from "the next record is still being written". Records are decoded
// where they lie. A check for records costs no system call, and so does not wake Go's monitor
// thread. And that Reader waits level-triggered, so that it wakes for records that rang no bell;
// here waiting is the caller's business.
package tracing
