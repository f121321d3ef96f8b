// Package chart draws figures as SVG: grouped bars, lines and steps over time, boxes of
// distributions, rows of marks, and rows of spreads.
//
// A figure is a value; its SVG method gives a fragment for a page that has CSS once in its style
// sheet. Colours are variables of the style sheet, for a light and a dark background. Readers who
// see red and green alike can distinguish them, and lines and rows of marks also differ in shape.
// Every mark has its value in a title, which browsers show under the pointer, and the figure as a
// whole has a description in words.
//
// A Page is the shell of the HTML pages that ebb writes: the document, the one style sheet, and the
// links to a page's parts. It needs no other file. Values that a page shows may have been chosen by
// others. The content's template escapes what HTML gives a meaning to; the shell also shows as
// escapes the characters that cannot be seen or that turn the order of letters round (package
// printable).
//
// The same figure gives the same bytes. Numbers that are not there are NaN and leave a gap.
package chart
