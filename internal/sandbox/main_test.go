//go:build !race

package sandbox

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/sandbox/child"
	"github.com/ebb-energy/ebb/internal/sandbox/opener"
)

// TestMain runs the test binary as one of the two processes, when a test has started it as that. It
// never runs tests then: each would start further ones.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && strings.HasPrefix(os.Args[1], "__") {
		var err error
		switch os.Args[1] {
		case ChildCommand:
			err = child.Main()
		case OpenerCommand:
			err = opener.Main()
		default:
			err = fmt.Errorf("%s is no process of these", os.Args[1])
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "ebb: %v\n", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}
