package eval

// kind selects some of the paper's workloads.
type kind int

const (
	every kind = iota
	memoryBound
	computeBound
)

// names returns the paper's workloads in its order.
func names(k kind) (n []string) {
	for _, w := range paperWorkloads {
		if k == every || w.memory == (k == memoryBound) {
			n = append(n, w.name)
		}
	}
	return n
}

func computeBoundFirst() string { return names(computeBound)[0] }

// withMeans returns the workloads and the means of both classes.
func withMeans() []string { return append(names(every), meanMemory, meanCompute) }

// withMean returns the workloads and their mean.
func withMean() []string { return append(names(every), Mean) }
