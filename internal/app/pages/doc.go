// Package pages shows what commands have found: a qualification of a machine, as text on a terminal
// and as a page of HTML that needs nothing else, and a power model, as pages that say how far it
// misses and which inputs its predictions come from. A result may be anybody's, so it is only
// shown.
package pages
