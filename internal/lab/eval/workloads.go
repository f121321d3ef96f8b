package eval

// kind says which of the paper's workloads.
type kind int

const (
	every kind = iota
	memoryBound
	computeBound
)

// names are the paper's workloads in its order.
func names(k kind) (n []string) {
	for _, w := range paperWorkloads {
		if k == every || w.memory == (k == memoryBound) {
			n = append(n, w.name)
		}
	}
	return n
}

func computeBoundFirst() string { return names(computeBound)[0] }

// withMeans are the workloads and the means of both classes.
func withMeans() []string { return append(names(every), MeanMemory, MeanCompute) }

// withMean are the workloads and their mean.
func withMean() []string { return append(names(every), Mean) }
