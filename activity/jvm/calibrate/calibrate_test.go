package calibrate

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/ebb-energy/ebb/activity/jvm"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == Command {
		if err := Main(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	m.Run()
}

// TestPerHit: every hit is counted, and costs something.
func TestPerHit(t *testing.T) {
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ns, err := PerHit(own)
	if errors.Is(err, jvm.ErrPermission) || errors.Is(err, jvm.ErrNotSupported) {
		t.Skip(err)
	}
	if err != nil || ns <= 1 {
		t.Errorf("%.0f ns, %v", ns, err)
	}
	t.Logf("%.0f ns", ns)
}
