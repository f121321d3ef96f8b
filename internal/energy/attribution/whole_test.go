package attribution

import "testing"

// TestWhole: a virtual machine's name of a thread holds only where the kernel's is its beginning.
func TestWhole(t *testing.T) {
	for _, c := range []struct{ comm, name, want string }{
		{"pool-1-thread-1", "pool-1-thread-17", "pool-1-thread-17"},
		{"pool-1-thread-1", "pool-1-thread-1", ""}, {"pool-1-thread-1", "pool-2-thread-17", ""},
		{"java", "main", ""}, {"java", "java-worker-thread-1", ""}, {"pool-1-thread-1", "", ""},
		{"", "pool-1-thread-17", ""}, {"pool-1-thread-1", "pool", ""},
	} {
		if got := whole(c.comm, c.name); got != c.want {
			t.Errorf("%q of which the kernel has %q: %q, want %q", c.name, c.comm, got, c.want)
		}
	}
}
