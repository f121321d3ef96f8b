package machine

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/command"
)

// script is a writer of whole lines. Behind each it puts the next text into a meter's file; after
// the last it ends a run.
type script struct {
	bytes.Buffer
	t     *testing.T
	meter string
	texts []string
	end   context.CancelFunc
}

func (s *script) Write(b []byte) (int, error) {
	if len(s.texts) == 0 {
		s.end()
		return s.Buffer.Write(b)
	}
	if err := os.WriteFile(s.meter, []byte(s.texts[0]), 0o644); err != nil {
		s.t.Error(err)
	}
	s.texts = s.texts[1:]
	return s.Buffer.Write(b)
}

// TestBadMeter: a counter that wraps, vanishes, comes back and goes back. After each window all
// parts are the whole, no sum drops, and windows that cannot be divided are unattributed.
func TestBadMeter(t *testing.T) {
	possible(t)
	root, _ := meterTree(t)
	meter := filepath.Join(root, "class/powercap/intel-rapl:0/energy_uj")
	if err := os.WriteFile(meter, []byte("262142828850\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	steps := []struct {
		text         string
		measured     int64 // mJ, of the window that ends after it
		unattributed int64
	}{
		{"262143228850\n", 400, 400}, // it stood in the first window
		{"600000\n", 700, 0},         // it wrapped
		{"", 0, 0},                   // it vanishes
		{"1600000\n", 1000, 1000},
		{"2600000\n", 1000, 0},
		{"x\n", 0, 0},
		{"3600000\n", 1000, 1000},
		{"100000\n", 0, 0}, // it goes back, as after a reset
		{"1100000\n", 1000, 0},
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	out := &script{t: t, meter: meter, end: cancel}
	for _, s := range steps {
		out.texts = append(out.texts, s.text)
	}
	s := settings(root)
	s.Every, s.JSON = 200*time.Millisecond, true
	if err := Execute(ctx, s, command.Stdio{Out: out, Err: io.Discard}); err != nil {
		t.Fatal(err)
	}
	var last Zone
	n := 0
	for line := range strings.Lines(out.String()) {
		var r Report
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		z := r.Zones[0]
		if z.AttributedNJ+z.OthersNJ+z.IdleNJ+z.UnattributedNJ != z.MeasuredNJ {
			t.Errorf("line %d does not add up: %+v", n, z)
		}
		if n > 0 && n <= len(steps) {
			want := &steps[n-1]
			measured := (z.MeasuredNJ - last.MeasuredNJ) / 1e6
			unattributed := (z.UnattributedNJ - last.UnattributedNJ) / 1e6
			if measured != want.measured || unattributed != want.unattributed {
				t.Errorf("after %q: %d mJ, %d of them unattributed; want %d and %d", want.text,
					measured, unattributed, want.measured, want.unattributed)
			}
		}
		last = z
		n++
	}
	if n < len(steps)+1 {
		t.Errorf("%d lines", n)
	}
}
