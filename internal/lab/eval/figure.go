package eval

import "github.com/ebb-energy/ebb/internal/render/chart"

// figure is one part of the evaluation.
type figure struct {
	name    string // name after --figure
	short   string // name in the page's navigation
	title   string
	what    string // description of the comparison
	differs string // differences from the paper, with reasons
	// needs returns all runs that draw uses.
	needs func(*study) []spec
	draw  func(*study, *sheet) []chart.Figure
}

// figures are all figures in the order of the page: the paper's (figureN.go), then ebb's own
// (own_*.go).
var figures = []*figure{
	figure2, figure3, figure4, figure5, figure6, figure7, figure8, figure9, figure10, figure11,
	figure12, figure13, figure14,
	figureOrder, figureTable1, figureOracle, figureTraces, figureBaselines, figureMachines,
	figureOthers, figureUnlike, figureTenants,
}

// section is a figure whose runs are done.
type section struct {
	*figure
	charts []chart.Figure
	rows   []Row
}
