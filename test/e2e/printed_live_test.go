package e2e

import (
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/inventory"
)

// liveRow is a live row's figures: when, and watts or the CPUs that were busy.
var liveRow = regexp.MustCompile(`ebb +([0-9.]+) s [^\x1b\r]*? ([0-9.]+) (W|CPUs)( \(model\))?`)

// TestPrintedLive: the live rows have the power that the machine's meter has, and the JSON's power
// lies among theirs. Without a meter, and before its second reading, they have no watts but the
// CPUs that were busy, among which are those that the JSON's running time makes. A row's power may
// be off by half: beside other tests the meter stands still for a part of half a second.
func TestPrintedLive(t *testing.T) {
	needRoot(t)
	const watts = 20
	root, full := bare(t), bare(t)
	set := metered(t, full, 1000)
	stop, stopped := make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		for begin := time.Now(); ; {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
				set(1000 + watts*time.Since(begin).Microseconds())
			}
		}
	}()
	defer func() { close(stop); <-stopped }()
	for name, sysfs := range map[string]string{"CPUs": root, "W": full} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "r.json")
			text := onTerminal(t, nil, append([]string{"run", "--sysfs", sysfs, "--threads",
				"--report", path, "--"}, workload(t, "split", "1.5")...)...)
			r := decoded(t, path)
			low, high, n := 1e9, 0.0, 0
			for i, m := range liveRow.FindAllStringSubmatch(text, -1) {
				if i == 0 && m[3] == "CPUs" && name == "W" {
					continue
				}
				v, err := strconv.ParseFloat(m[2], 64)
				if err != nil || m[3] != name || m[4] != "" {
					t.Errorf("%q, %v: want %s", m[0], err, name)
				}
				low, high, n = min(low, v), max(high, v), n+1
			}
			if n == 0 {
				t.Fatalf("%d rows: %q", n, text)
			}
			of := float64(r.ThreadTime.RunningNS) / float64(r.WallNS)
			room := 0.35 * of // a part of the run may have less than the whole
			if name == "W" {
				of, room = 0, 0.1*watts
				for _, z := range r.Energy {
					if z.Source == report.Measured {
						of += float64(z.EnergyNJ) / float64(z.ProfiledNS)
					}
				}
			} else if high > float64(inventory.CPUs())*1.02 {
				t.Errorf("%v CPUs of %d were busy", high, inventory.CPUs())
			}
			far := name == "W" && (low < watts/2 || high > watts*1.5)
			if far || of < low-room || of > high+room {
				t.Errorf("the rows have %v to %v %s, the JSON %v: %q", low, high, name, of, text)
			}
		})
	}
}
