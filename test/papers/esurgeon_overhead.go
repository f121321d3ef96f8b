package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// hanoi moves ten discs fifty times.
func (s *suite) hanoi(ctx context.Context) (string, error) {
	path, err := s.compile(ctx, nil, "Hanoi")
	if err != nil {
		return "", err
	}
	return s.overhead(ctx, "hanoi", "Hanoi.*", []string{"-cp", path, "Hanoi", "10", "50"})
}

// tomcatStart starts Tomcat and ends it.
func (s *suite) tomcatStart(ctx context.Context) (string, error) {
	path, err := s.compile(ctx, tomcatJars, "TomcatServer", "Page")
	if err != nil {
		return "", err
	}
	return s.overhead(ctx, "start", "org.apache.*", []string{"-cp", path, "TomcatServer",
		s.scratch("tomcat"), "start"})
}

// overhead measures a Java program alone, under ebb and beside a JFR recording, in turn: the CPU
// time of the program (of all processes that ebb started, its own included) and the time by the
// clock. As the paper's agent does, ebb's instruments methods in one way: those of a pattern.
func (s *suite) overhead(ctx context.Context, name, methods string, args []string) (string,
	error) {
	java, err := find("java")
	if err != nil {
		return "", err
	}
	recording := filepath.Join(s.out, name+".jfr")
	type way struct {
		name string
		argv []string
	}
	ways := []way{
		{"alone", append([]string{java}, args...)},
		{"ebb --threads", append([]string{s.ebb, "run", "--shadow", "--quiet", "--threads", "--",
			java}, args...)},
		{"ebb --methods", append([]string{s.ebb, "run", "--shadow", "--quiet", "--methods",
			"--report", filepath.Join(s.out, name+".json"), "--", java}, args...)},
		{"JFR", append([]string{java, "-XX:StartFlightRecording=filename=" + recording +
			",settings=profile"}, args...)},
	}
	without := "; without ebb's agent for Java: make functions"
	if _, err := os.Stat(filepath.Join(filepath.Dir(s.ebb), "ebb-functions.jar")); err == nil {
		without = ""
		ways = append(ways, way{"ebb --functions --java", append([]string{s.ebb, "run", "--shadow",
			"--quiet", "--functions", "--java", methods, "--report",
			filepath.Join(s.out, name+"-calls.json"), "--", java}, args...)})
	}
	cpu, wall := make([][]float64, len(ways)), make([][]float64, len(ways))
	for range s.rounds {
		for i, w := range ways {
			c, cancel := context.WithTimeout(ctx, time.Minute)
			p := exec.CommandContext(c, w.argv[0], w.argv[1:]...)
			began := time.Now()
			text, err := p.CombinedOutput()
			took := time.Since(began)
			cancel()
			if err != nil {
				return "", fmt.Errorf("%s: %w: %.300s", w.name, err, text)
			}
			used := p.ProcessState.UserTime() + p.ProcessState.SystemTime()
			cpu[i], wall[i] = append(cpu[i], used.Seconds()), append(wall[i], took.Seconds())
		}
	}
	var csv strings.Builder
	csv.WriteString("way,cpu_s,wall_s,cpu_ratio,wall_ratio,rounds\n")
	var said []string
	for i, w := range ways {
		fmt.Fprintf(&csv, "%s,%.4g,%.4g,%.4g,%.4g,%d\n", w.name, median(cpu[i]), median(wall[i]),
			ratio(cpu[i], cpu[0]), ratio(wall[i], wall[0]), s.rounds)
		said = append(said, fmt.Sprintf("%s %.2f s (x%.2f)", w.name, median(cpu[i]),
			ratio(cpu[i], cpu[0])))
	}
	path := filepath.Join(s.out, name+"-overhead.csv")
	return "CPU time, with ebb's own: " + strings.Join(said, ", ") + "; " + path + without,
		whole(path, csv.String())
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

// ratio is the median over the rounds.
func ratio(a, b []float64) float64 {
	var all []float64
	for i := range a {
		all = append(all, a[i]/b[i])
	}
	return median(all)
}
