// Package usdt finds the probes that a program carries in itself: a nop at the place, and a note in
// the section .note.stapsdt that names the place (SystemTap's sys/sdt.h, version 3). It reads ELF
// files that anybody may have written, so each step has a bound on what it reads and keeps,
// whatever the file says about its own size.
package usdt

import (
	"errors"
	"fmt"
	"io"
)

// ErrNoProbes: a file has no probes at the begin and end of a garbage collection.
var ErrNoProbes = errors.New("no probes for the begin and end of a garbage collection")

// JVMLibrary is the name of the file that has a JVM's probes.
const JVMLibrary = "libjvm.so"

// The probes of a JVM, which need no option.
const (
	jvmProvider = "hotspot"
	jvmBegins   = "gc__begin"
	jvmEnds     = "gc__end"
)

// Collector holds the places in a runtime's file where its garbage collector begins and ends its
// work, as offsets from the beginning of the file.
type Collector struct{ Begins, Ends []uint64 }

// FindCollector finds the collector's probes of a JVM in the first size bytes of its libjvm.so. The
// error is ErrNoProbes, ErrMalformed, or the reader's.
func FindCollector(file io.ReaderAt, size int64) (Collector, error) {
	places, err := find(file, size, jvmProvider, []string{jvmBegins, jvmEnds})
	if err != nil {
		return Collector{}, fmt.Errorf("look for probes: %w", err)
	}
	c := Collector{Begins: places[0], Ends: places[1]}
	if len(c.Begins) == 0 || len(c.Ends) == 0 {
		return Collector{}, ErrNoProbes
	}
	return c, nil
}
