// Package hostile runs hostile programs against the built ebb, as the user nobody. None of these
// may happen: another program changed, a file outside touched, memory or CPU time beyond a bound,
// clocks that stay as ebb set them, an ebb that does not end. test/README.md has the commands.
// Every attack has a deadline, and only processes that it started are killed.
package hostile
