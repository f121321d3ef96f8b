package view

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestCachedFile: a file in the client's cache is given even when the servers are silent or there
// is no room for others.
func TestCachedFile(t *testing.T) {
	dir := t.TempDir()
	had := filepath.Join(dir, "ab", file)
	if err := os.Mkdir(filepath.Dir(had), 0o755); err != nil {
		t.Fatal(err)
	}
	client := filepath.Join(dir, "client")
	for path, text := range map[string]string{had: "symbols", client: "#!/bin/sh\necho " + had} {
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for want, d := range map[error]*debuginfod{errSilent: {silent: true},
		errNoRoom: {sum: maxSum}} {
		d.client, d.cache = client, dir
		f, err := d.Find(t.Context(), &unnamed{BuildID: "ab"}, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		if _, err := d.Find(t.Context(), &unnamed{BuildID: "cd"}, 0); !errors.Is(err, want) {
			t.Errorf("a file that is not there: %v, want %v", err, want)
		}
	}
}

// TestSilentServers: servers that gave nothing for long are not asked again in a report, whose
// other files would take as long each; servers that soon said no are, and so are those whose file
// was too large, at which the system stops the client.
func TestSilentServers(t *testing.T) {
	for name, tt := range map[string]struct {
		client string
		silent bool
	}{"silent": {"sleep 0.3", true}, "without the file": {":", false},
		"stopped with nothing": {"mkdir -p $CACHE/ab; : >$CACHE/ab/debuginfo.new; sleep 0.3; " +
			"kill -9 $$", true},
		"too large": {"mkdir -p $CACHE/ab; echo >$CACHE/ab/debuginfo.new; sleep 0.3; " +
			"kill -XFSZ $$", false}} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			client := filepath.Join(dir, "client")
			if err := os.WriteFile(client, []byte("#!/bin/sh\nCACHE="+dir+
				"\necho >>$CACHE/asked\n"+tt.client+"\nexit 1\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			d := &debuginfod{client: client, cache: dir, silence: 200 * time.Millisecond}
			if tt.client == ":" {
				d.silence = time.Hour
			}
			file := &unnamed{BuildID: "ab"}
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
