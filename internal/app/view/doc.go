// Package view is ebb report: it shows what is in runs' reports, as text or in other tools'
// formats, compares several, and names functions that have no name in one, by files of symbols that
// were installed or fetched since the run. The sandbox child reads these files, which may be as
// hostile as those of a run.
package view
