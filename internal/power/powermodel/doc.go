// Package powermodel predicts a machine's power from what its kernel and its counters saw. A model
// is trained where there is an energy meter and used where there is none (VESTA, SAFARI).
//
// # The three errors
//
// How a model is validated decides how good it looks. Crossvalidate measures three errors beside
// each other:
//
//   - a program left out: the model has never seen the program. This is the error that a user gets.
//   - the later half: the model has seen the first half of the program's run.
//   - rows shuffled, VESTA's way (section 4 of the paper): neighbouring seconds of one run lie on
//     both sides. It is small for any model, and no prediction.
package powermodel
