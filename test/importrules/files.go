package importrules

import (
	"go/ast"
	"go/constant"
	"go/types"
	"slices"
	"syscall"
)

// fileWriting are the functions that create, replace or rename files by name.
var fileWriting = []string{
	"os.Create", "os.CreateTemp", "os.WriteFile", "os.Rename", "os.Truncate", "os.MkdirTemp",
	"os.MkdirAll", "os.Link", "os.Symlink", "os.CopyFS",
	"os.Root.Create", "os.Root.WriteFile", "os.Root.Rename", "os.Root.MkdirAll", "os.Root.Link",
	"os.Root.Symlink",
	"golang.org/x/sys/unix.Creat", "golang.org/x/sys/unix.Rename",
	"golang.org/x/sys/unix.Renameat", "golang.org/x/sys/unix.Renameat2",
	"syscall.Creat", "syscall.Rename",
}

// opening are the functions that do so depending on their flags, with the index of the flags among
// their arguments.
var opening = map[string]int{
	"os.OpenFile": 1, "os.Root.OpenFile": 1, "syscall.Open": 1,
	"golang.org/x/sys/unix.Open": 1, "golang.org/x/sys/unix.Openat": 2,
}

// fileWriters are the packages that may use them, beside sysfsWriters: the one that writes files
// for all others; the trees, cgroups, pages and golden files of tests; internal/app/bench/host and
// sandbox, which open /dev/null; internal/sandbox/opener, which creates the file by which HotSpot
// is asked to listen; guardian and internal/sandbox/confine, which write to the kernel whom it is
// to end first when memory is short; internal/linux/cgroup, which limits a cgroup of its own; and
// internal/linux/shelter, which moves this process to another cgroup.
var fileWriters = []string{"internal/safefile", "internal/linux/sysfs", "internal/devtest",
	"cpufreq", "cpufreq/internal/fakekernel", "internal/app/bench/host", "internal/sandbox",
	"internal/sandbox/opener", "internal/sandbox/confine", "cpufreq/guardian",
	"internal/linux/cgroup", "internal/linux/shelter"}

// whyFiles is the reason why no other package may.
const whyFiles = "internal/safefile writes all files that a user names, " +
	"and follows no link of another user's"

// writesFile returns the reason why a use that creates or replaces files is wrong; empty when it is
// not.
func (u use) writesFile() string {
	name := u.path + "." + u.name
	if slices.Contains(fileWriting, name) || u.opensToWrite {
		return whyFiles
	}
	return ""
}

// writingCalls finds the identifiers of calls that open files to write. Flags that are no constant
// may be anything.
func writingCalls(trees []*ast.File, info *types.Info) map[*ast.Ident]bool {
	found := map[*ast.Ident]bool{}
	for _, tree := range trees {
		ast.Inspect(tree, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			selector, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			of, ok := info.Uses[selector.Sel].(*types.Func)
			if !ok || of.Pkg() == nil {
				return true
			}
			name := of.Pkg().Path() + "." + of.Name()
			if recv := of.Signature().Recv(); recv != nil {
				name = of.Pkg().Path() + "." + receiver(recv.Type()) + "." + of.Name()
			}
			at, ok := opening[name]
			if !ok || at >= len(call.Args) {
				return true
			}
			const write = syscall.O_WRONLY | syscall.O_RDWR | syscall.O_CREAT | syscall.O_TRUNC |
				syscall.O_APPEND
			flags, known := int64(write), false
			if v := info.Types[call.Args[at]].Value; v != nil {
				flags, known = constant.Int64Val(constant.ToInt(v))
			}
			if !known || flags&write != 0 {
				found[selector.Sel] = true
			}
			return true
		})
	}
	return found
}
