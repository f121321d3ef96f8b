// Phases stands for a machine whose clocks change while a program runs: it writes the frequencies
// of its phases into a tree of files, ROOT. Under ebb run it does the same ("same"), or has its
// phases in the reverse order ("reverse"), or its cores at the highest frequency all the time
// ("fast"). In each phase an energy meter goes on by 1 J; by 1.5 J when fast.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

const highest = 3_900_000

// kHz of two cores in each phase
var phases = [][]int{{1_000_000, 1_000_000}, {3_900_000, 1_200_000}, {3_600_000, 3_300_000},
	{1_200_000, 2_400_000}, {2_400_000, 1_000_000}, {1_000_000, 1_600_000}}

func main() {
	root, mode := os.Args[1], os.Args[2]
	parent, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", os.Getppid()))
	check(err)
	observed := slices.Contains(strings.Split(string(parent), "\x00"), "run")
	if observed && mode == "reverse" {
		slices.Reverse(phases)
	}
	var files []string
	for cpu := range 2 {
		files = append(files, filepath.Join(root,
			fmt.Sprintf("devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq", cpu)))
	}
	meter := filepath.Join(root, "class/powercap/intel-rapl:0/energy_uj")
	for _, phase := range phases {
		b, err := os.ReadFile(meter)
		check(err)
		uj, err := strconv.Atoi(strings.TrimSpace(string(b)))
		check(err)
		uj += 1_000_000
		if observed && mode == "fast" {
			uj += 500_000
		}
		check(rewrite(meter, uj))
		for cpu, f := range files {
			khz := phase[cpu]
			if observed && mode == "fast" {
				khz = highest
			}
			check(rewrite(f, khz))
		}
		// Some work, so that there is something to sample.
		for begin := time.Now(); time.Since(begin) < 60*time.Millisecond; {
		}
	}
}

// rewrite puts a number in the place of one of as many digits, so that no reader finds the file
// empty.
func rewrite(path string, v int) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, v)
	return errors.Join(err, f.Close())
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "phases:", err)
		os.Exit(1)
	}
}
