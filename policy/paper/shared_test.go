package paper

import (
	"time"

	"github.com/ebb-energy/ebb/policy/policytest"
)

// The policies' tests share these.
type (
	work = policytest.Work
)

const (
	ghz = policytest.GHz
	ms  = time.Millisecond
)

var (
	steps500    = policytest.Steps500
	steps125    = policytest.Steps125
	busy        = policytest.Busy
	randomCurve = policytest.RandomCurve
)
