package symbols

import (
	"strings"
	"testing"
)

// TestRelease: os-release files of distributions, and lines that none has.
func TestRelease(t *testing.T) {
	for text, want := range map[string]release{
		"PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\nVERSION_CODENAME=bookworm\n": {
			ID: "debian", Codename: "bookworm"},
		"NAME=\"Linux Mint\"\nID=linuxmint\nID_LIKE=\"ubuntu debian\"\nVERSION_CODENAME=wilma": {
			ID: "linuxmint", Like: "ubuntu debian", Codename: "wilma"},
		"ID='fedora'\n#ID=debian\n":                   {ID: "fedora"},
		"ID=\"debian$(reboot)\"\nID_LIKE=a;b":         {},
		"ID=" + strings.Repeat("d", maxReleaseWord+1): {},
		"ID\nVERSION_CODENAME=\n\x00":                 {},
		"":                                            {},
	} {
		if got := parseRelease([]byte(text)); got != want {
			t.Errorf("%q is %+v, want %+v", text, got, want)
		}
	}
}

// FuzzRelease: whatever a file says, its words can stand in a command.
func FuzzRelease(f *testing.F) {
	f.Add([]byte("ID=debian\nID_LIKE=\"a b\"\nVERSION_CODENAME='x'\n"))
	f.Add([]byte("ID=\"`reboot`\"\nID=\"\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		r := parseRelease(text)
		for _, s := range []string{r.ID, r.Like, r.Codename} {
			if len(s) > maxReleaseWord || strings.ContainsAny(s, "$`\"'\\;&|<>()\n\t") {
				t.Errorf("%q", s)
			}
		}
	})
}
