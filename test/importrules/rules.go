package importrules

import "slices"

// Rules has a row for every package of the module. The rows are in files by the packages' subject.
var Rules = slices.Concat(hardwareRules, powerRules, energyRules, governorRules, simulationRules,
	commandRules, internalRules)
