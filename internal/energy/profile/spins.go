package profile

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ebb-energy/ebb/internal/render/printable"
)

// spinsIn begins the names of functions in which a thread waits by spinning; the library follows.
const spinsIn = "[spins in "

// blocking has, by library, the setting that makes its threads sleep where they wait.
var blocking = map[string]string{
	"libgomp":  "OMP_WAIT_POLICY=passive",
	"libomp":   "KMP_BLOCKTIME=0",
	"Open MPI": "OMPI_MCA_mpi_yield_when_idle=1, or no more ranks than CPUs",
	"MPICH":    "no more ranks than CPUs, as no setting has it sleep",
	"UCX":      "OMPI_MCA_mpi_yield_when_idle=1 under Open MPI, or no more ranks than CPUs",
	"libjvm":   "-XX:ParallelGCThreads=N below the number of CPUs, if they are the collector's",
}

func (f *Frame) spins() bool { return strings.HasPrefix(f.Name, spinsIn) }

// WithoutSpinning says of the libraries in which threads wait by spinning, if a noticeable share of
// the energy went there by the first rule, which setting has them sleep instead.
func (p *Profile) WithoutSpinning() (lines []string) {
	var all int64
	in := map[string]int64{}
	for i := range p.Stacks {
		s := &p.Stacks[i]
		all += first(s.EnergyNJ)
		if library, ok := p.spins(s); ok {
			in[library] += first(s.EnergyNJ)
		}
	}
	libraries := slices.SortedFunc(maps.Keys(in), func(a, b string) int {
		return cmp.Or(cmp.Compare(in[b], in[a]), cmp.Compare(a, b))
	})
	for _, library := range libraries {
		spent := share(in[library], all)
		if spent < noticeable {
			continue
		}
		setting := blocking[library]
		if setting == "" {
			setting = "a wait that sleeps, such as futex"
		}
		lines = append(lines, fmt.Sprintf("%s: %s of the %s is threads that wait by spinning in %s",
			setting, printable.Percent(spent), p.divided(), library))
	}
	return lines
}

// spins returns the library in which a stack's thread waits by spinning.
func (p *Profile) spins(s *Stack) (library string, ok bool) {
	for _, i := range s.Frames {
		f := &p.Frames[i]
		if f.Kind == "kernel" {
			continue // an interrupt
		}
		return strings.TrimSuffix(strings.TrimPrefix(f.Name, spinsIn), "]"), f.spins()
	}
	return "", false
}
