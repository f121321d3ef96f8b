// Package importrules holds the architecture's import rules as data, each with its reason, and
// checks them. Its test runs the check on the whole module; its command prints which packages are
// pure.
//
// Imports run one way, from cmd down to units, and packages on the same level do not know each
// other. The pure packages cannot reach a clock, a file, a network or the kernel, so what they
// compute depends on their inputs alone: that is what makes a recording replay bit for bit.
package importrules
