package cpufreq

import (
	"os"
	"path"
	"slices"
	"strings"
)

// daemon is a program that is known to set frequencies, by the file name of its executable or
// script.
type daemon struct{ file, name, what, stop string }

// daemons are sorted by how common they are. Their own documents: power-profiles-daemon's README,
// tuned-adm(8), TLP's settings, auto-cpufreq's README, thermald(8), intel_lpmd(8), Watt's README,
// gamemoded(8).
var daemons = []daemon{
	{"power-profiles-daemon", "", "sets energy preference and boost by profile",
		"systemctl stop power-profiles-daemon"},
	{"tuned", "", "sets governor, limits and energy preference by profile", "systemctl stop tuned"},
	{"tuned-ppd", "", "changes TuneD's profile for desktops", "systemctl stop tuned-ppd"},
	{"tlp-pd", "TLP (tlp-pd)", "sets governor, limits and energy preference by profile",
		"systemctl stop tlp-pd"},
	{"auto-cpufreq", "", "sets governor, limits and boost every few seconds",
		"systemctl stop auto-cpufreq"},
	{"thermald", "", "lowers limits when it is hot", "systemctl stop thermald"},
	{"intel_lpmd", "", "sets energy preference and moves work between kinds of cores",
		"systemctl stop intel_lpmd"},
	{"watt", "Watt", "sets governor, limits and energy preference by rules", "systemctl stop watt"},
	{"gamemoded", "GameMode (gamemoded)", "sets the governor while a game runs",
		"systemctl --user stop gamemoded"},
}

func (d *daemon) rival(pid int) Rival {
	name := d.name
	if name == "" {
		name = d.file
	}
	return Rival{name, pid, d.what, d.stop}
}

// maxComm is the number of bytes of a name that the kernel keeps (TASK_COMM_LEN without the end).
const maxComm = 15

// mayBe reports whether a process of that name and owner could be one of the daemons.
func mayBe(comm string, of owner) bool {
	return of == self && interpreter(comm) ||
		slices.ContainsFunc(daemons, func(d daemon) bool { return comm == d.comm() })
}

// comm is the daemon's name as far as the kernel keeps it.
func (d *daemon) comm() string { return d.file[:min(len(d.file), maxComm)] }

// is reports whether a process is the daemon: by its name, and by its executable where that is
// readable. A script has its own name, unless its interpreter was called with it; then the command
// line has the script's name. Only root's command lines are read: they lie in the process's memory,
// and another user's memory may be a page that never comes.
func (d *daemon) is(root *os.Root, dir, comm string, of owner) bool {
	if comm == d.comm() {
		exe, err := root.Readlink(dir + "/exe")
		if err != nil {
			return true // unreadable: the name will do
		}
		file := path.Base(strings.TrimSuffix(exe, " (deleted)"))
		return interpreter(file) || file == d.file || file == "."+d.file+"-wrapped"
	}
	if of != self || !interpreter(comm) {
		return false
	}
	args := strings.Split(readStart(root, dir+"/cmdline"), "\x00")
	for _, arg := range args[1:] {
		if strings.HasPrefix(arg, "-") {
			continue
		}
		return path.Base(arg) == d.file // the first argument that is no option is the script
	}
	return false
}

// interpreter reports whether an executable runs scripts of which daemons are made.
func interpreter(file string) bool {
	return strings.HasPrefix(file, "python") || file == "bash" || file == "sh" || file == "dash"
}
