// Package unixconn carries what comes over Unix sockets with descriptors beside it (SCM_RIGHTS):
// packets between ebb's own processes (Conn), and streams whose peers may be strangers (Stream).
//
// Whoever drops a stranger's descriptor last closes its file, and that can take as long as another
// user likes: a socket that lingers, a file of FUSE. A read that takes none drops it, and so does
// the connection's close. So Receive takes every descriptor that comes, Read takes no byte with
// which one came, and one goroutine closes the rest for Close and Drop.
package unixconn
