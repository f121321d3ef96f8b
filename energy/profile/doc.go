// Package profile is what a run's energy went to: threads, stacks and their energy, with the totals
// they are parts of, as the report keeps it, and the views of it: by method, class, package,
// thread, calling context and phase.
//
// A view's rows add up to what was attributed. With other programs', idle and unattributed energy
// that is what was measured, or modelled; every view says which.
package profile
