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
	b := &bench{}
	rounds := flag.Int("rounds", 7, "measure everything this many times, in turn")
	library := flag.String("library", "bin/libebb-functions.so", "the shared library")
	ebb := flag.String("ebb", "bin/ebb", "the command, for table I (as root)")
	dir := flag.String("dir", "build/kernels", "where the compiled kernels go; it must be there")
	sources := flag.String("sources", "build/sources", "where Debian's sources are, if any")
	flag.StringVar(&b.only, "table", "", "make this table alone: I, II, III, IV or rates")
	flag.Parse()
	b.library, b.rounds, b.ebb, b.sources = *library, *rounds, *ebb, *sources
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
	made := false
	for _, table := range []struct {
		name string
		make func() error
	}{{"IV", b.calls}, {"rates", b.rates}, {"II", b.periods}, {"III", b.groups},
		{"I", b.activity}} {
		if b.only != "" && b.only != table.name {
			continue
		}
		made = true
		if err := table.make(); err != nil {
			return err
		}
	}
	if !made {
		return fmt.Errorf("there is no table %s", b.only)
	}
	return nil
}
