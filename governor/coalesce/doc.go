// Package coalesce decides for how long the governor need not look at a program that does as
// forecast.
//
// While each quantum does what the one before it promised, most quanta teach nothing. A rest lets
// several quanta pass as one. The machine checks at each point of the grid whether the program
// still does the same (Bounds), and has the governor look at once when it does not.
//
// A rest begins after some quanta that held, and is longer each time that one was not ended early.
// It is short beside the run so far, so that what goes wrong within one is little of the whole.
//
// Where the governor itself costs more than the budget, the clock stays at the highest, where no
// time is lost whatever the program does: then rests are the longest, and nothing ends them.
package coalesce
