package config

import (
	"os"
	"strings"
	"testing"
)

// FuzzDecode: no text makes Decode fall over, and what it accepts is a valid configuration.
func FuzzDecode(f *testing.F) {
	sample, err := os.ReadFile("ebb.toml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(sample))
	f.Fuzz(func(t *testing.T, text string) {
		c, err := decode(text)
		if err != nil {
			if !strings.Contains(err.Error(), "my.toml") {
				t.Errorf("%q does not name the file", err)
			}
			return
		}
		if err := c.Validate(); err != nil {
			t.Errorf("accepted, but %v", err)
		}
	})
}
