// Package coalesce decides for how long the governor need not look at a program that does as
// forecast.
//
// While each quantum is as the one before it promised, most quanta teach nothing. A rest lets
// several quanta pass as one. The machine checks at each point of the grid whether the program
// still does the same (Bounds), and wakes the governor at once when it does not.
//
// A rest begins after some quanta that were as forecast, and is longer each time that the one
// before was not ended early. It is short compared with the run so far, so that what goes wrong in
// a rest is a small part of the whole.
//
// Where the governor itself costs more than the budget, the clock stays at the highest, where no
// time is lost whatever the program does. Rests are then the longest, and nothing ends them.
package coalesce
