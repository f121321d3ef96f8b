// Package recordings holds recordings that an earlier ebb made and tests that this ebb makes the
// same decisions.
//
// Each testdata/NAME.ebb.gz is one recording, compressed. The test replays it: every action must
// agree bit for bit with the recorded one. testdata/NAME.txt has results that follow from the
// recording but are not in it: digests of its epochs and of the report's quanta, and the rest of
// the report.
//
// Commit 3b520f7 made all recordings: its binary those of programs (tools/recordings.sh has the
// commands), its packages those of simulated machines (simulated_test.go has their settings, and
// makes the runs again). A change that alters a decision on purpose makes these recordings
// worthless. Replace them then, and say why; flag -update writes the texts and the simulated
// recordings anew, and gives those of programs today's decisions on the recorded events. Decision
// 0120 did so with the programs' recordings: all share CPUs with other programs.
//
// testdata/several has that of four programs with a budget each, in a later format. It shares two
// clocks among them.
//
// Floating point rounds differently on other processors, where Go fuses multiplication and
// addition. The tests run on amd64 only.
package recordings
