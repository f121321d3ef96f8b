// Package page writes what is known of a power model as pages: how far it misses, and which inputs
// its predictions come from.
package page
