// Package vesta repeats VESTA's validation of power models on a metered table: all intervals in
// random order, one half to train and the other to test, ten times (k x 2 cross-validation, section
// 5.1). The models are the paper's: XGBoost, a line, and twelve counters chosen greedily by their
// correlation with the power (section 5.6). Its neural networks are not built: the paper finds that
// they miss by 31.34 %.
package vesta
