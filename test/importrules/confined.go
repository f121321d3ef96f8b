package importrules

// parsing are the packages that read the formats of programs and their symbols, and what strangers
// send. Parsers are the module's own packages that may import them. epochs/usdt may take the
// format's constants from debug/elf: it has a small reader of its own, which calls nothing there,
// and the sandbox child runs it. So may the package that makes the tests' programs. Of the others
// only those of Sandbox may reach one of Parsers: the sandbox child, a service's front process, and
// the command, which starts them.
// command, which starts them.
var (
	parsing = []string{
		"debug/dwarf", "debug/elf", "debug/gosym", "debug/macho", "debug/pe", "debug/plan9obj",
		"github.com/ianlancetaylor/demangle", "github.com/ulikunitz/xz", "net/http",
	}
	parsers = []string{"internal/app/serve/front", "internal/app/serve/status",
		"internal/sandbox/child", "internal/stacks/symbols",
		"internal/stacks/unwind"}
	sandbox = []string{"cmd/ebb"}
	formats = []string{"epochs/usdt", "internal/devtest"}
)

// whyParsing is the reason why no other package may.
const whyParsing = "only a process without rights parses what others wrote (internal/sandbox/child)"

// SysfsWriting are the functions that write sysfs or open it for writing. sysfsWriters are the
// packages that may use them.
var (
	SysfsWriting = []string{"FS.Write", "FS.Keep", "Attribute.WriteInt"}
	sysfsWriters = []string{"cpufreq", "internal/linux/sysfs"}
)

// whySysfs is the reason why no other package may.
const whySysfs = "ebb changes a machine in one place, and restores it there"
