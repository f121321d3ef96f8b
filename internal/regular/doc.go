// Package regular opens files that other users may have put in their place: regular files only,
// each once, without following links, and none where a read can stall for as long as another user
// likes. Opening and checking can still block while a file system is asked; who must not block
// calls them from a process that can be abandoned.
package regular
