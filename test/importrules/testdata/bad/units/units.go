// Package units is pure here by name and breaks every rule for it.
package units

import (
	"math/rand/v2"
	"os"
	clock "time"
)

// Now reads a clock, the shared random generator and the environment, and starts a goroutine.
func Now() clock.Time {
	go os.Getenv("HOME")
	_ = rand.New(rand.NewPCG(1, 0)).IntN(2) // allowed: it has a seed
	return clock.Now().Add(clock.Duration(rand.IntN(2)))
}
