package meters

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/rapl"
	"github.com/ebb-energy/ebb/units"
)

// TestEventsHeardLate: whoever asks for a reading, for a tick that came a while ago or for now, the
// readings go forward in time, and no energy is lost between them.
func TestEventsHeardLate(t *testing.T) {
	root := t.TempDir()
	zone := filepath.Join(root, "class/powercap/intel-rapl:0")
	if err := os.MkdirAll(zone, 0o755); err != nil {
		t.Fatal(err)
	}
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(zone, name), []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("name", "package-0")
	put("max_energy_range_uj", "262143328850")
	used := 0 // uJ
	shows := func() { put("energy_uj", fmt.Sprint(used)) }
	shows()
	files, err := sysfs.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	open, err := rapl.Open(files)
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	now := units.Instant(time.Second)
	m := &Meters{open: open, period: meterPeriod, now: func() units.Instant { return now }}
	if _, err := m.Start(nil); err != nil {
		t.Fatal(err)
	}
	pass := func(d time.Duration) {
		now, used = now.Add(d), used+int(100*d.Microseconds())
		shows()
	}
	m.Observe(&governor.Event{Kind: governor.Begin, At: now.Add(-time.Millisecond)}, nil)
	for range 20 {
		pass(10 * time.Millisecond)
		tick := now.Add(-999 * time.Microsecond)
		if _, _, _, ok := m.sums(tick); !ok {
			t.Fatal("no sum")
		}
		first := m.read[0].Energy
		pass(500 * time.Microsecond)
		if again := m.readAt(tick)[0].Energy; again != first {
			t.Fatalf("%d nJ and %d nJ at one tick", first, again)
		}
		m.Observe(&governor.Event{Kind: governor.Ending, At: tick.Add(-time.Millisecond)}, nil)
	}
	got := m.readAt(now)[0]
	if want := units.Energy(used) * 1000; got.Energy != want || got.Resets != 0 ||
		got.Unknown != 0 {
		t.Errorf("%d nJ of %d, %d resets, %v unknown", got.Energy, want, got.Resets, got.Unknown)
	}
}
