// Package opener opens what the sandbox child reads: files of processes, and what the kernel keeps
// for root. It is a process of its own, because opening can block for as long as another user likes
// (a file on a FUSE file system), and whatever blocks is killed. It interprets nothing: a request
// carries an image's number, which the governor bound to a process, and a range of addresses.
package opener
