package activity

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/linux/proc"
)

const statText = `cpu  100 20 30 4000 50 6 7 8 0 0
cpu0 60 10 10 2000 25 3 3 4 0 0
cpu1 40 10 20 2000 25 3 4 4 0 0
intr 900 1 2 3
ctxt 1234
btime 1
processes 9
procs_running 1
procs_blocked 0
softirq 77 1 2
`

func TestParseStat(t *testing.T) {
	got, err := ParseStat(statText)
	want := Stat{CPUs: 2, CPULine: proc.CPULine{CPU: proc.AllCPUs, User: time.Second,
		Nice: 200 * time.Millisecond, System: 300 * time.Millisecond, Idle: 40 * time.Second,
		Wait: 500 * time.Millisecond, IRQ: 60 * time.Millisecond, SoftIRQ: 70 * time.Millisecond,
		Steal: 80 * time.Millisecond},
		Switches: 1234, Interrupts: 900, SoftIRQs: 77}
	if err != nil || got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	if got.Busy() != 1630*time.Millisecond {
		t.Errorf("busy for %v, without idle, waiting and stolen time", got.Busy())
	}
}

func TestMalformed(t *testing.T) {
	for name, text := range map[string]string{
		"empty": "", "no CPU": strings.ReplaceAll(statText, "cpu", "gpu"),
		"short line":  strings.Replace(statText, " 6 7 8 0 0\n", "\n", 1),
		"no number":   strings.Replace(statText, "ctxt 1234", "ctxt x", 1),
		"below zero":  strings.Replace(statText, "cpu  100", "cpu  -100", 1),
		"much":        strings.Replace(statText, "cpu  100", "cpu  18446744073709551615", 1),
		"no switches": strings.Replace(statText, "ctxt", "text", 1),
	} {
		if s, err := ParseStat(text); !errors.Is(err, errMalformed) {
			t.Errorf("%s: got %+v, %v", name, s, err)
		}
	}
	for name, text := range map[string]string{
		"empty": "", "no number": "pgfault x\npgmajfault 1\npgpgin 2\npgpgout 3\n",
		"missing": "pgfault 1\npgmajfault 1\npgpgin 2\n",
	} {
		if v, err := parseVMStat(text); !errors.Is(err, errMalformed) {
			t.Errorf("vmstat, %s: got %+v, %v", name, v, err)
		}
	}
}

func TestParseVMStat(t *testing.T) {
	got, err := parseVMStat("nr_free_pages 7\npgpgin 1\npgpgout 2\npgfault 3\npgmajfault 4\n")
	if want := (vmStat{Faults: 3, MajorFaults: 4, In: 1, Out: 2}); err != nil || got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}

// FuzzParse: no text makes the parsers panic, and what they accept makes inputs within bounds.
func FuzzParse(f *testing.F) {
	f.Add(statText, statText, "pgfault 3\npgmajfault 4\npgpgin 1\npgpgout 2\n")
	f.Add("cpu  1\n", "", "")
	f.Fuzz(func(t *testing.T, before, after, vm string) {
		a, err1 := ParseStat(before)
		b, err2 := ParseStat(after)
		v, err3 := parseVMStat(vm)
		if errors.Join(err1, err2, err3) != nil {
			return
		}
		in, err := Between(&Reading{At: 1, Stat: a, vmStat: v},
			&Reading{At: 1 + 1e9, Stat: b, vmStat: v})
		if err != nil {
			t.Fatal(err)
		}
		for name, x := range in {
			if !(x >= 0) || strings.HasPrefix(name, "cpu_") && x > 100 {
				t.Errorf("%s = %v", name, x)
			}
		}
	})
}
