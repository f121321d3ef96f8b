package shelter

import "testing"

// TestShared: mounts at the run directory, and whether the host finds what is left there.
func TestShared(t *testing.T) {
	const (
		own    = "30 20 0:40 / / rw - overlay overlay rw\n31 30 0:41 / /run rw - tmpfs tmpfs rw\n"
		tmpfs  = "32 31 0:42 / /run/ebb rw - tmpfs tmpfs rw\n"
		bound  = "33 31 0:25 /ebb /run/ebb rw master:3 - tmpfs tmpfs rw\n"
		volume = "34 31 8:1 /var/lib/docker/volumes/v/_data /run/ebb rw - ext4 /dev/sda1 rw\n"
	)
	at := func(root string) string { return "35 31 8:1 " + root + " /run/ebb rw - ext4 a rw\n" }
	for name, c := range map[string]struct {
		text, path string
		want       bool
	}{
		"nothing":              {own, "/run/ebb", false},
		"the host's":           {own + bound, "/run/ebb", true},
		"the host's, /":        {own + bound, "/run/ebb/", true},
		"another directory":    {own + bound, "/run/ebb2", false},
		"a tmpfs":              {own + tmpfs, "/run/ebb", false},
		"a volume":             {own + volume, "/run/ebb", false},
		"a tmpfs over it":      {own + bound + tmpfs, "/run/ebb", false},
		"it over a tmpfs":      {own + tmpfs + bound, "/run/ebb", true},
		"of the root's system": {own + at("/run/ebb"), "/run/ebb", true},
		"of a subvolume":       {own + at("/@/run/ebb"), "/run/ebb", true},
		"elsewhere on it":      {own + at("/srv/x"), "/run/ebb", false},
		"no text":              {"", "/run/ebb", false},
	} {
		if got := shared(c.text, c.path); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
