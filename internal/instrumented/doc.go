// Package instrumented has what an instrumented program says of itself: the regions that it marks,
// and the calls of its functions that it counts in memory that it shares with ebb. Programs write
// what they like, so all that is here accepts any bytes.
//
// A mark is a line of text, which any program can write:
//
//	begin NAME [TIME]
//	end NAME [TIME]
//
// TIME is CLOCK_MONOTONIC in ns; without it a mark counts from the moment at which it is read. Each
// begin of a region that is not open is its next iteration. Regions may overlap.
//
// The memory has the places and sizes of layout.go. internal/calls/runtime/layout.h has the same in
// C.
package instrumented
