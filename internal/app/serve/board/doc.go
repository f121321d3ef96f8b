// Package board has what passes between a service and its front process: the memory to which the
// service writes its state and which the front process reads, and the packets of leases.
//
// The memory has records of a fixed layout, each behind a number that is odd while it is written.
// The writer makes no system call and waits for nobody, so a reader that is slow, stopped or dead
// costs it nothing. The reader cannot write, and the writer reads nothing back.
//
// By packets of fixed size the front process asks for leases and gets the answers. The service
// trusts only the wish in a packet. It learns from the kernel who asks, by the connection that
// comes with the packet.
package board
