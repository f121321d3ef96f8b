package jvm

import (
	"errors"
	"os"
	"testing"
)

// TestPerHit: every hit is counted, and costs something.
func TestPerHit(t *testing.T) {
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ns, err := PerHit(own)
	if errors.Is(err, errPermission) || errors.Is(err, ErrNotSupported) {
		t.Skip(err)
	}
	if err != nil || ns <= 1 {
		t.Errorf("%.0f ns, %v", ns, err)
	}
	t.Logf("%.0f ns", ns)
}
