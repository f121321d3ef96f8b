// Package protocol has the messages between ebb's processes: the governor, which is root, the
// sandbox child, which interprets what the target wrote and has no rights, and the opener, which
// opens files for the child.
//
// Each message is one packet of a SOCK_SEQPACKET socket. The first byte is its Kind; numbers are
// little-endian; texts and lists stand behind their length. Descriptors travel beside a packet
// (SCM_RIGHTS). The governor trusts no packet of the child: every Decode function accepts any
// bytes, allocates at most a small multiple of the packet's length, and refuses malformed packets
// with ErrMalformed.
package protocol

import "errors"

// MaxPacket bounds a packet, in bytes. A sample with the largest copy of a stack takes half of
// that.
const MaxPacket = 64 << 10

// ErrMalformed says that a packet is not what its kind promises.
var ErrMalformed = errors.New("malformed packet")

// Kind is a message's kind, the first byte of its packet.
type Kind uint8

// The messages of the governor to the child.
const (
	// KindPeer has a descriptor: the socket to the opener (also to the opener: to the child)
	KindPeer        Kind = iota + 1
	KindSamples          // stacks to walk
	KindUnbind           // an image's process runs another program
	KindNames            // addresses to name
	KindPerfMaps         // images whose perf maps are to be read
	KindAttach           // an image that is to write its perf map
	KindNameless         // which files lack names?
	KindRuntimes         // where does an image map a JVM's library?
	KindProbes           // a descriptor: where are the file's probes?
	KindCommand          // an image's command line
	KindMapsJVM          // is an image a Java machine?
	KindRings            // a descriptor: memory of an instrumented program; its new records
	KindCalls            // counts of calls in that memory
	KindSaw              // addresses that an image has run code at
	KindEvents           // a descriptor: which events does a JVM's file report?
	KindHooked           // images whose instrumented functions are wanted
	KindAskOrigins       // files and functions of addresses
	KindAskReadings      // with a descriptor the first time: what a meter's log has
	KindMarks            // a descriptor: what a program marks; its new marks
	KindAskEntries       // a descriptor: where do a file's functions of some names begin?
	KindAskSymbols       // with a descriptor the first time: the names of functions by its symbols
	KindSwitches         // which lists of its code was an image's process asked to write?
)

// The messages of the child to the governor.
const (
	KindStacks       Kind = iota + 65 // what walks found
	KindCodes                         // what marks in stacks stand for
	KindProblem                       // a sentence for the report
	KindFrames                        // names of addresses
	KindFiles                         // files that lack names
	KindRanges                        // where a library is mapped
	KindOffsets                       // where probes are in a file
	KindText                          // a text, or why there is none
	KindStuck                         // the opener does not answer
	KindReady                         // the child has given up its rights
	KindRecords                       // records of invocations
	KindCalled                        // counts of calls
	KindInstrumented                  // instrumented functions
	KindFileEvents                    // a file's events and their places
	KindOrigins                       // files and functions of addresses
	KindReadings                      // readings of a meter's log
	KindMarked                        // marks of a program
	KindEntries                       // where functions begin
	KindSymbols                       // names by a file of symbols
	KindThreads                       // threads of a virtual machine
	KindCarriers                      // those that say which virtual thread they carry
	KindVirtual                       // virtual threads
)

// The messages to and from the opener, besides KindPeer.
const (
	KindBind   Kind = iota + 129 // an image is a process
	KindForget                   // an image is not wanted any more
	KindOpen                     // open something
	KindOpened                   // the answer, with a descriptor unless it failed
)
