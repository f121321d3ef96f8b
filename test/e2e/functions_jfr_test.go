package e2e

import (
	"math"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// TestJavaFunctionsBesideJFR: of one run, the JDK's own sampler and ebb's agree on the share that a
// counted method has in its caller, beyond chance, and its calls stay exact.
func TestJavaFunctionsBesideJFR(t *testing.T) {
	devtest.Long(t)
	needProgram(t, "jfr")
	dir := countedProgram(t)
	in := func(name string) string { return filepath.Join(dir, name) }
	r := ebb(t, "run", "--shadow", "-q", "--rate", "499", "--report", in("r.json"),
		"--functions=period=10ms,library="+in("libebb-functions.so"),
		"--java", "Counted.known,Counted.uneven", "--", "java", "-Xss512k",
		"-XX:StartFlightRecording:settings=profile,filename="+in("r.jfr"),
		"-javaagent:"+in("counted.jar"), "-cp", in("counted.jar"), "Counted")
	if r.code != 0 {
		t.Fatalf("exit status %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	printed, err := exec.Command("jfr", "print", "--stack-depth", "64", "--events",
		"jdk.ExecutionSample", in("r.jfr")).Output()
	if err != nil {
		t.Fatal(err)
	}
	var jfr, own [2]float64 // samples in the caller, and of them in the method
	for event := range strings.SplitSeq(string(printed), "jdk.ExecutionSample") {
		if strings.Contains(event, "Counted.known(") {
			jfr[0]++
			if strings.Contains(event, "Counted.uneven(") {
				jfr[1]++
			}
		}
	}
	p := profileOf(t, in("r.json"))
	for i := range p.Stacks {
		s := &p.Stacks[i]
		has := func(name string) bool {
			for _, n := range s.Frames {
				if p.Frames[n].Name == name {
					return true
				}
			}
			return false
		}
		if has("Counted.known") {
			own[0] += float64(s.Samples)
			if has("Counted.uneven") {
				own[1] += float64(s.Samples)
			}
		}
	}
	if jfr[0] < 5 || own[0] < 20 {
		t.Skipf("too few samples to compare: JFR %v, ebb %v", jfr, own)
	}
	share, all := (jfr[1]+own[1])/(jfr[0]+own[0]), 1/jfr[0]+1/own[0]
	differ := math.Abs(jfr[1]/jfr[0] - own[1]/own[0])
	t.Logf("JFR has %.0f of %.0f samples in the method, ebb %.0f of %.0f", jfr[1], jfr[0], own[1],
		own[0])
	if differ > 4.5*math.Sqrt(share*(1-share)*all) {
		t.Errorf("JFR has %.0f of %.0f samples in the method, ebb %.0f of %.0f", jfr[1], jfr[0],
			own[1], own[0])
	}
	calls := uint64(0)
	for _, f := range p.Functions.List {
		if f.Name == "Counted.uneven" {
			calls += f.Calls
		}
	}
	if calls != 600 {
		t.Errorf("%d calls are counted, not 600", calls)
	}
}
