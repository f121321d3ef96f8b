// Command tables makes SAFARI's tables on kernels of our own and two of Debian's programs: what a
// call costs that is profiled or skipped, and what profiling costs whole programs, beside gprof and
// hooks that do nothing. All times are CPU time that the programs take of themselves, in turn,
// several times over.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/internal/inventory"
)

func main() {
	rounds := flag.Int("rounds", 7, "measure everything this many times, in turn")
	library := flag.String("library", "bin/libebb-functions.so", "the shared library")
	ebb := flag.String("ebb", "bin/ebb", "the command, for table I (as root)")
	dir := flag.String("dir", "build/kernels", "where the compiled kernels go; it must be there")
	sources := flag.String("sources", "build/sources", "where Debian's sources are, if any")
	flag.Parse()
	b := &bench{library: *library, rounds: *rounds, ebb: *ebb, sources: *sources}
	if err := tables(b, *dir); err != nil {
		fmt.Fprintln(os.Stderr, "tables:", err)
		os.Exit(1)
	}
}

func tables(b *bench, dir string) (err error) {
	if b.dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	if err := b.compile(); err != nil {
		return err
	}
	load, _ := os.ReadFile("/proc/loadavg") // for the reader; it may be missing
	fmt.Printf("%s, %s, Linux %s, %d CPUs, load %s, %d rounds\n\n",
		time.Now().UTC().Format("2006-01-02"), inventory.Processor(), inventory.Kernel(),
		runtime.NumCPU(), strings.Join(strings.Fields(string(load))[:3], " "), b.rounds)
	for _, table := range []func() error{b.calls, b.rates, b.periods, b.groups, b.activity} {
		if err := table(); err != nil {
			return err
		}
	}
	return nil
}
