// Package regions is what a program says of itself: from here on a region counts, or no longer.
//
// A mark is a line of text, which any program can write:
//
//	begin NAME [TIME]
//	end NAME [TIME]
//
// TIME is CLOCK_MONOTONIC in ns; without it a mark counts from the moment at which it is read. Each
// begin of a region that is not open is its next iteration. Regions may overlap. All that is here
// accepts any bytes: programs write what they like. Package regions is pure.
package regions
