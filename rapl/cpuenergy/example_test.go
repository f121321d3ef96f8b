package cpuenergy_test

import (
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/ebb-energy/ebb/rapl/cpuenergy"
)

// A program takes the cheaper of its two ways when it has drawn too much.
func Example() {
	// Where this user may read a meter, cpuenergy.Open is better.
	m := cpuenergy.Formula(84, runtime.NumCPU())
	defer m.Close()
	before, err := m.Read(os.Getpid())
	if err != nil {
		fmt.Println(err)
		return
	}
	way := "thorough"
	for end := time.Now().Add(50 * time.Millisecond); time.Now().Before(end); {
		// work
	}
	after, err := m.Read(os.Getpid())
	if err != nil {
		fmt.Println(err)
		return
	}
	if used := m.Between(before, after); used.Power() > 1e-6 {
		way = "cheap"
	}
	fmt.Println("goes on the", way, "way")
	// Output: goes on the cheap way
}
