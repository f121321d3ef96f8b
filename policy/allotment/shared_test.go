package allotment

import (
	"time"

	"github.com/ebb-energy/ebb/policy/policytest"
)

// The policies' tests share these.
type (
	work  = policytest.Work
	curve = policytest.Curve
)

const (
	ghz = policytest.GHz
	mhz = policytest.MHz
	ms  = time.Millisecond
)

var (
	steps500     = policytest.Steps500
	steps125     = policytest.Steps125
	busy         = policytest.Busy
	randomStates = policytest.RandomStates
)
