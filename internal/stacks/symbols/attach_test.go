package symbols

import (
	"strings"
	"testing"
)

func TestAttachAnswer(t *testing.T) {
	for text, ok := range map[string]bool{
		"0\n": true, "0\nCommand executed successfully\n": true, "0": true, "": false,
		"100\nno such command\n": false, "00\n": false,
		"\n0\n": false, strings.Repeat("9", 5000): false,
	} {
		if err := AttachAnswer([]byte(text)); (err == nil) != ok {
			t.Errorf("%.20q: %v", text, err)
		} else if err != nil && len(err.Error()) > 1000 {
			t.Errorf("%.20q: an error of %d bytes", text, len(err.Error()))
		}
	}
}
