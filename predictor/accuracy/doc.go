// Package accuracy measures the predictor's models on recorded programs: it predicts each epoch
// table at the frequencies of the others of the same workload, and sets prediction against what was
// measured there. It prints a table for a terminal and a page of HTML that needs nothing else.
//
// The error is (predicted - measured) / measured, as in DEP+BURST, section 5.1; means are of its
// absolute value, over workloads. The paper's own figures stand beside them. They come from other
// programs on another simulator, so their statements about the models can be compared, not the
// numbers one by one.
package accuracy
