// Package sandbox is the governor's side of the two processes that read what the target and other
// users wrote: the child, which interprets it and has no rights (package child), and the opener,
// which opens files for the child (package opener). The governor hands them stacks to walk and
// addresses to name, never waits for them while it governs, and starts them again when they die or
// stall.
package sandbox
