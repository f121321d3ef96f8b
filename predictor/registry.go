package predictor

import (
	"slices"

	"github.com/ebb-energy/ebb/predictor/nonscaling"
	"github.com/ebb-energy/ebb/predictor/waiting"
)

// Choice is something that a user can choose by name: a model, an estimator, a critical-thread
// prediction.
type Choice struct {
	Name string
	// Section is the section of DEP+BURST that prints it; "" for ebb's own.
	Section string
	Doc     string // description in a line
}

// Printed reports whether the paper has it, rather than ebb alone.
func (c *Choice) Printed() bool { return c.Section != "" }

// Wake is the default model. It always counts store bursts.
const Wake = "wake"

// DefaultModel is the model of a zero Config.
const DefaultModel = Wake

// Critical-thread prediction of the model "dep".
const (
	Across   = "across"    // across epochs: Algorithm 1
	PerEpoch = "per-epoch" // the longest predicted thread of each epoch
)

// burstSuffix is put after a model's name to count store bursts (DEP+BURST, section 3.4).
const burstSuffix = "+burst"

// modelEntry is a model in the registry.
type modelEntry struct {
	Choice
	alwaysBurst bool // the model counts store bursts under its plain name, and has no other name
	make        func(*Config) waiting.Model
}

func models() []modelEntry {
	return []modelEntry{
		{
			Choice: Choice{Name: Wake,
				Doc: "a clock per thread, joined at wakes; counts store bursts"},
			alwaysBurst: true,
			make: func(c *Config) waiting.Model {
				return waiting.NewWake(c.latencies(), c.Unit, c.Without)
			},
		}, {
			Choice: Choice{Name: "dep", Section: "3.3",
				Doc: "epochs, each as long as its critical thread is predicted to take"},
			make: func(c *Config) waiting.Model {
				if c.CTP == PerEpoch {
					return new(paperPerEpoch)
				}
				return new(paperAcross)
			},
		}, {
			Choice: Choice{Name: "coop", Section: "2.3",
				Doc: "m+crit for each phase of the application and of its collector by itself"},
			make: func(c *Config) waiting.Model { return newPaperCoop(c.Collectors) },
		}, {
			Choice: Choice{Name: "m+crit", Section: "2.3",
				Doc: "each thread over the whole time; the longest is the prediction"},
			make: func(*Config) waiting.Model { return new(paperMCrit) },
		},
	}
}

// modelNamed returns the model of that name, without burstSuffix.
func modelNamed(name string) modelEntry {
	all := models()
	return all[slices.IndexFunc(all, func(m modelEntry) bool { return m.Name == name })]
}

// Models lists the models, the default first. The paper's are there without and with store bursts.
func Models() []Choice {
	var list []Choice
	for _, m := range models() {
		list = append(list, m.Choice)
		if !m.alwaysBurst {
			list = append(list, Choice{Name: m.Name + burstSuffix, Section: m.Section + ", 3.4",
				Doc: m.Name + " with store bursts"})
		}
	}
	return list
}

// CriticalThreads lists the ways to predict the critical thread of the model "dep".
func CriticalThreads() []Choice {
	return []Choice{
		{Name: Across, Section: "3.3", Doc: "across epochs, Algorithm 1"},
		{Name: PerEpoch, Section: "3.3", Doc: "the longest predicted thread of each epoch"},
	}
}

// estimators returns all estimators in the order in which they are tried.
func estimators() []nonscaling.Estimator {
	return slices.Concat(nonscaling.Estimators(), paperEstimators(), nonscaling.Fallbacks())
}

// Estimators lists the estimators. Without a name, the first whose columns are all there is taken.
func Estimators() []Choice {
	var list []Choice
	for _, e := range estimators() {
		list = append(list, Choice{Name: e.Name, Section: e.Section, Doc: e.Doc})
	}
	return list
}

// ModelNames returns the names of Models.
func ModelNames() []string { return names(Models()) }

// EstimatorNames returns the names of Estimators.
func EstimatorNames() []string { return names(Estimators()) }

func names(choices []Choice) []string {
	var list []string
	for _, c := range choices {
		list = append(list, c.Name)
	}
	return list
}
