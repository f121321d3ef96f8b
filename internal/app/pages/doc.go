// Package pages shows what commands have found. It writes a qualification of a machine as text and
// as a page of HTML that needs nothing else. It writes a power model's errors, and the inputs that
// its predictions come from, as pages. A result may be anybody's, so it is only shown.
package pages
