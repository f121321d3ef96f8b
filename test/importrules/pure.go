package importrules

// reason is something that a package must not have, with the reason.
type reason struct{ What, Why string }

// impure are the packages that a pure package must not reach even through others.
var impure = []reason{
	{"github.com/cilium/ebpf", "the kernel's answers would become inputs that no recording has"},
	{"golang.org/x/sys", "system calls would become inputs that no recording has"},
	{"os/exec", "a pure package starts no program"},
	{"net", "a pure package talks to nobody"},
	{Module + "/internal/linux/sysfs", "a pure package reads no file and writes none"},
	{Module + "/governor/live", "the core must not know the machine it runs on"},
}

// impureDirect are the packages that a pure package must not import itself. Packages that it needs,
// such as fmt, import them.
var impureDirect = []reason{
	{"os", "a pure package reads no file, environment or argument"},
	{"syscall", "system calls would become inputs that no recording has"},
	{"log", "the core returns reasons; whoever runs it logs them"},
	{"log/slog", "the core returns reasons; whoever runs it logs them"},
	{"crypto/rand", "the same input must give the same output"},
	{"unsafe", "a value must not depend on where it lies in memory"},
}

const (
	noClock = "events carry their time; a clock read here would differ in a replay"
	noTimer = "ticks are events; the core waits for nothing"
)

// forbidden are the functions that a pure package must not use, and why.
var forbidden = map[string]string{
	"time.Now":       noClock,
	"time.Since":     noClock,
	"time.Until":     noClock,
	"time.Sleep":     noTimer,
	"time.After":     noTimer,
	"time.AfterFunc": noTimer,
	"time.Tick":      noTimer,
	"time.NewTimer":  noTimer,
	"time.NewTicker": noTimer,

	"sync.WaitGroup.Go": goStatement,
}

// goStatement is the reason why a pure package starts no goroutine.
const goStatement = "the order of goroutines differs from run to run"

// globalRand is the reason why a pure package does not use the common generator of the functions of
// math/rand.
const globalRand = "a seed must be an argument: rand.New(rand.NewPCG(seed, 0))"
