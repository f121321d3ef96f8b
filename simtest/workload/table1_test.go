package workload

// table1 is the paper's Table 1: class (memory-intensive: more than 10 % of its time is garbage
// collection), execution time and collection time at 1 GHz.
var table1 = map[string]struct {
	memory       bool
	totalMs, gcs float64
}{
	"xalan":        {true, 1400, 270},
	"pmd":          {true, 1345, 230},
	"pmd.scale":    {true, 500, 80},
	"lusearch":     {true, 2600, 285},
	"lusearch.fix": {false, 1249, 42},
	"avrora":       {false, 1782, 5},
	"sunflow":      {false, 4900, 82},
}
