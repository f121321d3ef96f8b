// Package profile is the attribution of a run's energy: threads, stacks and their energy, with the
// totals they are parts of, as the report keeps it, and its views: by method, class, package,
// thread, calling context and phase.
//
// A view's rows add up to the attributed energy. With other programs', idle and unattributed energy
// that is the measured energy, or the modelled one; every view says which.
package profile
