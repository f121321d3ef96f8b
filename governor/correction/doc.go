// Package correction corrects predictions by the errors of past ones.
//
// At the end of each quantum a Corrector compares the quantum with its prediction, in three steps
// (Corrector.Learn):
//
//  1. Place. The Learner learns where in its bracket the non-scaling time of the phase lies, from
//     quanta of one phase at two frequencies. The predictor uses the learned place, Lesson.Alpha.
//  2. Compare. The quantum and the one before it enter the Anchor, thread by thread. It learns the
//     bias of predictions that cross from one frequency to another, and besides, where one of the
//     two ran at the highest, what is left of it in their phase. If the quantum ran as decided,
//     its time per instruction is compared with the prediction (Lesson.Compared, Lesson.Error).
//  3. Correct. Lesson.Bias is the part of the bias that is corrected, Lesson.Doubt what remains
//     uncertain. A View has the corrected predictions that the policy asks for.
//
// Quanta are compared by the instructions they retired. Without that counter nothing is learned and
// nothing corrected. Instructions of a thread that spins while it waits are no work; they add noise
// to the comparison, but no bias.
//
// Nothing can be learned about the highest frequency while the program runs below it, so Probe says
// when a quantum there is worth its cost.
//
// The package is pure: the same quanta teach the same.
package correction
