package jvm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ebb-energy/ebb/epochs/usdt"
)

// VESTA are the events that the paper selects (VESTA, section 4.2), by the names of their probes
// without the sides' endings. Two of them happen at a moment: a method is loaded or unloaded.
var VESTA = []string{"CallObjectMethod", "CallVoidMethod", "GetMethodID", "compiled__method__load",
	"compiled__method__unload", "method__compile", "IsInstanceOf", "GetObjectClass", "GetEnv",
	"vmops", "safepoint", "gc", "NewString", "NewStringUTF", "GetStringLength",
	"GetByteArrayElements", "GetObjectArrayElement", "ReleaseIntArrayElements",
	"SetByteArrayRegion", "GetLongField", "SetIntField", "Throw", "thread__park", "thread__sleep"}

// Depth says how an event's depth is counted.
type Depth string

// The two ways to count a depth. With N begins and X ends in a window, and AIS the events that are
// open at its end:
const (
	// DepthPaper is AIS + X (VESTA, section 3.3): all events that were open at some time of the
	// window.
	DepthPaper Depth = "paper"
	// DepthArtifact is AIS + min(N, X), as the paper's scripts have it (scripts/alignment.py).
	DepthArtifact Depth = "artifact"
)

// ParseDepth reads a depth's name.
func ParseDepth(s string) (Depth, error) {
	switch d := Depth(s); d {
	case DepthPaper, DepthArtifact:
		return d, nil
	}
	return "", fmt.Errorf("unknown depth %q: give %s or %s", s, DepthPaper, DepthArtifact)
}

// prefix begins the name of every input that is a JVM's event.
const prefix = "jvm_"

// Endings of the inputs' names: begins per second, depth per window of a second, and the mean
// number of threads that are in the event.
const (
	endCount    = "_count"
	endDepth    = "_depth"
	endArtifact = "_depth_artifact"
	endThreads  = "_threads"
)

// Names returns the inputs of events, in the order of tables. Of the depths they have the one that
// d names.
func Names(events []string, d Depth) (names []string) {
	depth := endDepth
	if d == DepthArtifact {
		depth = endArtifact
	}
	for _, e := range events {
		names = append(names, prefix+e+endCount, prefix+e+depth, prefix+e+endThreads)
	}
	return names
}

// EventOf returns the event that an input is of; "" for another input.
func EventOf(input string) string {
	rest, ok := strings.CutPrefix(input, prefix)
	if !ok {
		return ""
	}
	for _, ending := range []string{endArtifact, endDepth, endCount, endThreads} {
		if event, ok := strings.CutSuffix(rest, ending); ok {
			return event
		}
	}
	return ""
}

// EventsOf returns the events that inputs are of, each once, in their order.
func EventsOf(inputs []string) (events []string) {
	for _, in := range inputs {
		if e := EventOf(in); e != "" && !slices.Contains(events, e) {
			events = append(events, e)
		}
	}
	return events
}

// ValidEvent reports whether a text can be an event's name.
func ValidEvent(name string) bool { return usdt.ValidName(name) }

// DepthOf returns the way in which the depths among inputs are counted.
func DepthOf(inputs []string) Depth {
	if slices.ContainsFunc(inputs, func(in string) bool {
		return strings.HasPrefix(in, prefix) && strings.HasSuffix(in, endArtifact)
	}) {
		return DepthArtifact
	}
	return DepthPaper
}
