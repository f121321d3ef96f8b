package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// activity is table I: what functions do, by ebb itself.
func (b *bench) activity() error {
	fmt.Println("Table I: activity in functions, by ebb run --functions (as it ran, shadow mode)")
	fmt.Printf("  %-7s %-18s %10s %8s %10s %10s %9s\n", "kernel", "function", "calls", "CPU use",
		"energy", "switches", "IPC")
	if os.Geteuid() != 0 {
		fmt.Println("  not measured: it takes root")
		return nil
	}
	type program struct{ name, argument string }
	var programs []program
	for _, k := range kernels {
		programs = append(programs, program{k.name, k.argument})
	}
	list, _ := b.there()
	for _, s := range list {
		programs = append(programs, program{s.name, s.argument})
	}
	for _, k := range programs {
		file := filepath.Join(b.dir, "report.json")
		library, err := filepath.Abs(b.library)
		if err != nil {
			return err
		}
		c := exec.Command(b.ebb, "run", "--shadow", "-q", "--report", file,
			"--functions=counters=cycles+instructions,library="+library, "--",
			b.program(k.name, false, "hooks"), k.argument)
		if out, err := c.CombinedOutput(); err != nil {
			return fmt.Errorf("%v: %w: %s", c, err, out)
		}
		if err := printActivity(k.name, file); err != nil {
			return err
		}
	}
	return nil
}

// mostShown is the number of functions of a program that table I shows.
const mostShown = 10

// printActivity prints the functions of a report that have records.
func printActivity(kernel, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var r struct {
		Attribution struct {
			Functions struct {
				List []struct {
					Name     string    `json:"name"`
					Calls    uint64    `json:"calls"`
					Records  int       `json:"records"`
					Mean     float64   `json:"mean_energy_nj"`
					Wall     float64   `json:"mean_wall_ns"`
					CPU      float64   `json:"mean_cpu_ns"`
					Switches float64   `json:"mean_switches"`
					Counts   []float64 `json:"mean_counts"`
				} `json:"list"`
			} `json:"functions"`
		} `json:"attribution"`
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return err
	}
	shown := 0
	for _, f := range r.Attribution.Functions.List {
		if f.Records == 0 {
			continue
		}
		if shown++; shown > mostShown {
			fmt.Printf("  %-7s and %d more\n", kernel, len(r.Attribution.Functions.List)-mostShown)
			break
		}
		ipc := "no PMU"
		if len(f.Counts) == 2 && f.Counts[0] > 0 {
			ipc = fmt.Sprintf("%.2f", f.Counts[1]/f.Counts[0])
		}
		use := 100.0
		if f.Wall > 0 {
			use = min(100*f.CPU/f.Wall, 100)
		}
		fmt.Printf("  %-7s %-18s %10d %7.0f%% %8.3gmJ %10.2f %9s\n", kernel, f.Name, f.Calls,
			use, f.Mean/1e6, f.Switches, ipc)
	}
	return nil
}
