package choice

import (
	"github.com/ebb-energy/ebb/policy/policytest"
)

// The policies' tests share these.
type (
	curve = policytest.Curve
)

var (
	steps500 = policytest.Steps500
	steps125 = policytest.Steps125
)
