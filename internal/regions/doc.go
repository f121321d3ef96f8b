// Package regions follows the regions of a program that marks where it enters and leaves them.
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
