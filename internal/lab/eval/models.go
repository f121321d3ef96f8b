package eval

import (
	"github.com/ebb-energy/ebb/hpc"
	"github.com/ebb-energy/ebb/predictor"
)

// model is a way to predict, with its name in the figures.
type model struct {
	name   string
	config predictor.Config
}

// Names of the models of the figures.
const (
	modelMCrit    = "m+crit"
	modelCoop     = "coop"
	modelDep      = "dep"
	modelBurst    = "dep+burst"
	modelPerEpoch = "dep+burst per-epoch"
	modelWake     = "wake"
	modelWakeReal = "wake, real counters"
)

// models are the paper's as printed (CRIT over loads that went to memory, the time the store queue
// is full), and ebb's default, once with the best counters that a simulator has, and once with
// those of real processors.
var models = []model{
	{modelMCrit, predictor.Config{Model: "m+crit", Estimator: "crit"}},
	{modelCoop, predictor.Config{Model: "coop", Estimator: "crit"}},
	{modelDep, predictor.Config{Model: "dep", Estimator: "crit"}},
	{modelBurst, predictor.Config{Model: "dep+burst", Estimator: "crit"}},
	{modelPerEpoch, predictor.Config{Model: "dep+burst", Estimator: "crit",
		CTP: predictor.PerEpoch}},
	{modelWake, predictor.Config{Model: predictor.Wake, Estimator: "offcore"}},
	{modelWakeReal, predictor.Config{Model: predictor.Wake, Estimator: "counters"}},
}

// counterSets are the counters of the runs whose epochs the models are given. A slice carries a
// limited number, so each program is run once with each set. The same seed gives the same run,
// counted differently.
var counterSets = [][]string{
	{hpc.CritDRAM, hpc.SQFull, hpc.CritOff, hpc.CritOffX, hpc.CritDRAMX, hpc.Insts},
	{hpc.ROBEmpty, hpc.SQRen, hpc.DrainOff, hpc.SQOff, hpc.StoresOff},
	{hpc.Cycles, hpc.StallLo, hpc.OccHi, hpc.OccMemory, hpc.StoreFull, hpc.StoreRFO},
}
