// Package part has what the instruments of a run share: the settings that they look at, what is
// open when they open, and the order in which they do their work.
package part
