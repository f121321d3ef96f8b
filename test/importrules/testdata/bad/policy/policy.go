// Package policy keeps to its rule.
package policy

import (
	"time"

	"example.com/bad/predictor"
)

// Later is fine: a duration is no clock.
const Later = time.Duration(predictor.Reached)
