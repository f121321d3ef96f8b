// Package epochs imports its sibling.
package epochs

import "example.com/bad/predictor"

// Sibling uses it.
const Sibling = predictor.Reached
