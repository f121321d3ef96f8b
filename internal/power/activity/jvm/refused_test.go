package jvm

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

// TestRefused: an old kernel and a missing right are two errors.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ from, want error }{
		{fmt.Errorf("create link: %w", ebpf.ErrNotSupported), ErrNotSupported},
		{fmt.Errorf("load: %w", unix.EPERM), errPermission},
		{unix.ENOMEM, unix.ENOMEM},
	} {
		if err := refused("place breakpoints", c.from); !errors.Is(err, c.want) {
			t.Errorf("%v: %v", c.from, err)
		}
	}
	if !strings.Contains(ErrNotSupported.Error(), "Linux 6.6") {
		t.Error(ErrNotSupported)
	}
}
