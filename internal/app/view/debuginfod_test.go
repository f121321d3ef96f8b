package view

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestSilentServers: servers that gave nothing for long are not asked again in a report, whose
// other files would take as long each; servers that soon said no are.
func TestSilentServers(t *testing.T) {
	for name, tt := range map[string]struct {
		client string
		silent bool
	}{"silent": {"sleep 0.3", true}, "without the file": {":", false}} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			client := filepath.Join(dir, "client")
			if err := os.WriteFile(client, []byte("#!/bin/sh\necho >>"+dir+"/asked\n"+tt.client+
				"\nexit 1\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			d := &debuginfod{client: client, cache: dir, silence: 200 * time.Millisecond}
			if !tt.silent {
				d.silence = time.Hour
			}
			file := &unnamed{}
			for n := range 3 {
				_, err := d.Find(t.Context(), file, 0)
				if err == nil || errors.Is(err, errSilent) != (tt.silent && n > 0) {
					t.Errorf("file %d: %v", n, err)
				}
			}
			asked, err := os.ReadFile(dir + "/asked")
			want := map[bool]int{true: 1, false: 3}[tt.silent]
			if err != nil || len(asked) != want {
				t.Errorf("asked %d times, want %d: %v", len(asked), want, err)
			}
		})
	}
}
