package calls_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/calls"
	"github.com/ebb-energy/ebb/internal/instrumented"
)

// BenchmarkJavaCall measures the CPU time that a counted call of a compiled Java method takes more
// than one that is not counted: medians of interleaved runs with a period of 100 ms.
func BenchmarkJavaCall(b *testing.B) {
	dir := javaAgent(b, "testdata/Calls.java")
	jvms, err := filepath.Glob("/usr/lib/jvm/*-jdk-amd64/bin/java")
	if err != nil {
		b.Fatal(err)
	}
	for _, java := range append([]string{"java"}, jvms...) {
		b.Run(java, func(b *testing.B) {
			var plain, counted []float64
			for range max(b.N, 5) {
				plain = append(plain, callTime(b, dir, java, ""))
				counted = append(counted, callTime(b, dir, java, "Calls.called"))
			}
			slices.Sort(plain)
			slices.Sort(counted)
			b.ReportMetric(0, "ns/op") // says nothing here
			b.ReportMetric(plain[len(plain)/2], "ns/call")
			b.ReportMetric(counted[len(counted)/2]-plain[len(plain)/2], "ns-more/counted-call")
		})
	}
}

// callTime runs the program that measures its calls; with an agent where there is a pattern.
func callTime(b *testing.B, dir, java, pattern string) (ns float64) {
	m, err := calls.CreateShared(&instrumented.Settings{Records: 1})
	if err != nil {
		b.Fatal(err)
	}
	defer m.Close()
	name, value, err := m.Hand()
	if err != nil {
		b.Fatal(err)
	}
	var options []string
	if pattern != "" {
		options = javaOptions(dir, pattern)
	}
	cmd := exec.Command(java, append(options, "-cp", dir, "Calls")...)
	cmd.Env = append(os.Environ(), name+"="+value)
	var out bytes.Buffer
	cmd.Stdout = &out
	ended := make(chan struct{})
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		for n := uint32(1); ; n++ {
			m.Period(n)
			select {
			case <-ended:
				return
			case <-time.After(100 * time.Millisecond):
			}
		}
	}()
	err = cmd.Run()
	close(ended)
	<-finished
	if err != nil {
		b.Fatal(err)
	}
	if _, err := fmt.Sscan(out.String(), &ns); err != nil {
		b.Fatalf("%q: %v", out.String(), err)
	}
	return ns
}
