// Package board is the memory to which a service writes its state, and which its front process
// reads. It has records of a fixed layout, each behind a number that is odd while it is written.
// The writer makes no system call and waits for nobody, so a reader that is slow, stopped or dead
// costs it nothing. The reader cannot write, and the writer reads nothing back.
package board
