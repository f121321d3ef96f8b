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

// safari makes SAFARI's tables on kernels of our own and two of Debian's programs: what a call
// costs that is profiled or skipped, and what profiling costs whole programs, beside gprof and
// hooks that do nothing. All times are CPU time that the programs take of themselves, in turn,
// several times over.
func safari(args []string) error {
	flags := flag.NewFlagSet("papers safari", flag.ExitOnError)
	b := &bench{}
	rounds := flags.Int("rounds", 7, "measure everything this many times, in turn")
	library := flags.String("library", "bin/libebb-functions.so", "the shared library")
	ebb := flags.String("ebb", "bin/ebb", "the command, for table I (as root)")
	dir := flags.String("dir", "build/kernels", "where the compiled kernels go; it must be there")
	sources := flags.String("sources", "build/sources", "where Debian's sources are, if any")
	flags.StringVar(&b.only, "table", "", "make this table alone: I, II, III, IV or rates")
	if err := flags.Parse(args); err != nil {
		return err // ExitOnError: never
	}
	b.library, b.rounds, b.ebb, b.sources = *library, *rounds, *ebb, *sources
	return tables(b, *dir)
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
