// Package regular opens files that other users may have put in their place: regular files only,
// each once and without following links. Open and OpenMapping also refuse files where a read can
// stall for as long as another user likes. Opening and checking can block while a file system
// answers: a caller that must not block uses a process that can be abandoned.
package regular
