package governor

import "time"

const (
	// shortestQuantum is the paper's (DEP+BURST, section 6.1.4).
	shortestQuantum = 5 * time.Millisecond
	// longestCalibrated is the longest quantum that Calibrate chooses: a phase that needs the
	// highest frequency waits a quantum for it.
	longestCalibrated = 30 * time.Millisecond
	// settlesPerQuantum keeps the part of a quantum that may still run at the previous frequency
	// below a fifth.
	settlesPerQuantum = 5
)

// Calibrate chooses quantum and hold-off for a machine on which a request is in effect after
// settle, in 99 of 100 cases. The quantum is at least five times as long. Where that exceeds 30 ms,
// a decision holds for several quanta instead.
func Calibrate(settle time.Duration) (quantum time.Duration, holdOff int) {
	need := settlesPerQuantum * max(settle, 0)
	quantum = min(max(need, shortestQuantum), longestCalibrated)
	quantum = (quantum + time.Millisecond - 1).Truncate(time.Millisecond)
	return quantum, max(int((need+quantum-1)/quantum), 1)
}
