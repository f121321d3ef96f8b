// Package ringbuf is the consumer's side of a BPF ring buffer (Documentation/bpf/ringbuf.rst in the
// kernel).
//
// It is not cilium's ringbuf.Reader for four reasons. A tracer's promise of completeness must
// distinguish "empty up to here" from "the next record is still being written". Records are decoded
// where they lie. A check for records costs no system call, and so does not wake Go's monitor
// thread. And that Reader waits level-triggered, so that it wakes for records that rang no bell;
// here waiting is the caller's business.
package ringbuf
