// Package devtest has what tests of several packages share: files that hold what a test made before
// (Golden; -update writes them anew, and a commit says why each line changed), seeds that a random
// test prints with the command that repeats it (Seed, Rand), trees of files that look like sysfs
// (Tree), a bound on what a parser makes of its input (BoundedMemory), pages in a browser
// (SeenInBrowser), parts of a test with few of root's capabilities (WithCapabilities), programs
// with probes (USDTProgram), a file system that stops to answer (Stall), and the comparison of
// manual pages with a program's help (ManualPages).
//
// Only tests import it.
package devtest
