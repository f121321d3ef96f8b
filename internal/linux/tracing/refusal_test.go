package tracing

import (
	"errors"
	"fmt"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/btf"
	"golang.org/x/sys/unix"
)

// TestOf: a missing right, an old kernel and other failures are three things, and each keeps what
// the kernel said.
func TestOf(t *testing.T) {
	r := Refusals{Permission: errors.New("not allowed"), NotSupported: errors.New("too old")}
	for _, c := range []struct{ from, want error }{
		{fmt.Errorf("load: %w", unix.EPERM), r.Permission},
		{fmt.Errorf("create link: %w", ebpf.ErrNotSupported), r.NotSupported},
		{fmt.Errorf("hook: %w", btf.ErrNotFound), r.NotSupported},
		{&ebpf.VerifierError{Cause: unix.EACCES}, r.NotSupported},
		{unix.EOPNOTSUPP, r.NotSupported},
		{unix.ENOMEM, nil},
	} {
		err := r.Of("try it", c.from, unix.EOPNOTSUPP)
		for _, kind := range []error{r.Permission, r.NotSupported} {
			if errors.Is(err, kind) != (kind == c.want) {
				t.Errorf("%v: %v", c.from, err)
			}
		}
		if c.want != r.Permission && !errors.Is(err, c.from) {
			t.Errorf("%v has gone from %v", c.from, err)
		}
	}
	if err := (Refusals{}).Of("try it", unix.EPERM); !errors.Is(err, unix.EPERM) {
		t.Error(err)
	}
	if err := r.Of("try it", unix.EOPNOTSUPP); errors.Is(err, r.NotSupported) {
		t.Error(err)
	}
}
