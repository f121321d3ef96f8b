// Package accuracy measures the predictor's models on recorded programs: it predicts each epoch
// table at the frequencies of the others of the same workload, and sets prediction against what was
// measured there. It prints a table for a terminal and a page of HTML that needs nothing else.
//
// The error is (predicted - measured) / measured, as in DEP+BURST, section 5.1; means are of its
// absolute value, over workloads. The paper's own figures stand beside: they are of other programs
// on another simulator, so they can be compared in what they say about the models, not number by
// number.
package accuracy
