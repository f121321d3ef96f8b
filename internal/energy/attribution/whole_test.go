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

// TestInherited: a name that the kernel does not have is believed if it is text.
func TestInherited(t *testing.T) {
	for _, c := range []struct{ comm, name, want string }{
		{"java", "main", "main"}, {"python3", "worker of a JVM", "worker of a JVM"},
		{"java", "java", ""}, {"", "main", ""}, {"java", "", ""}, {"java", "a\x00b", ""},
		{"java", "a\ufffdb\u0007", ""},
	} {
		if got := inherited(c.comm, c.name); got != c.want {
			t.Errorf("%q in %q: %q, want %q", c.name, c.comm, got, c.want)
		}
	}
}
