package campaign

import (
	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/units"
)

// tamper changes what the governor does or what the checkers see, to show that they find it.
type tamper struct {
	// event and actions change what goes into the governor and what comes out of it; false drops an
	// event.
	event   func(*governor.Event) bool
	actions func(*governor.Event, []governor.Action) []governor.Action
	// The others change what the checkers see: the machine's options and events, the governor's
	// epochs, the truth.
	options  func(*simtest.Options)
	machine  func(*simtest.Event) bool
	epoch    func(*epochs.Epoch) bool
	truth    func(*simtest.Truth)
	reported func(units.Energy) units.Energy // energy that the meter reports for a true one
	// noRestore leaves the machine as it is at the end.
	noRestore bool
}
