package groups

import "strings"

// Kinds of groups.
const (
	Job       = "job"       // Slurm's: "123.0", job and step
	Pod       = "pod"       // Kubernetes': "uid/container"
	Container = "container" // "docker/id", by the engine
	VM        = "vm"        // libvirt's or systemd-machined's: its name
	Session   = "session"   // a user's: "1000/session-3.scope"
	Unit      = "unit"      // systemd's: "ssh.service"
	other     = "other"     // the path
)

// Kinds lists all kinds.
var Kinds = []string{Job, Pod, Container, VM, Session, Unit, other}

// MostOfUser is the number of names that a user's own cgroups may have at a time. All further ones
// are the user's, without a name of their own.
const MostOfUser = 200

// User returns the user who made a cgroup of this name: a session's or a container's; "" for a
// name that users cannot make.
func (n Name) User() string {
	user, _, below := strings.Cut(n.Name, "/")
	if !below || n.Kind != Session && n.Kind != Container || !digits(user) {
		return ""
	}
	return user
}

// Name is the owner of a cgroup. The zero value stands for nobody: the root.
type Name struct{ Kind, Name string }

// NameOf finds the name of a path below the root of a hierarchy, of either version. Everything
// below a job's step, a container, a machine or a unit belongs to it.
func NameOf(path string) Name {
	parts := split(path)
	if len(parts) == 0 {
		return Name{}
	}
	for _, form := range forms {
		if kind, name := form(parts); kind != "" {
			if name == Ended { // a machine's: a name of another kind cannot be that
				name = "/" + Ended
			}
			return Name{kind, bounded(name)}
		}
	}
	return Name{other, bounded(path)}
}

// NameAtDepth returns the name of a path's first parts, whatever they are.
func NameAtDepth(path string, depth int) Name {
	parts := split(path)
	if len(parts) == 0 {
		return Name{}
	}
	return Name{other, bounded("/" + strings.Join(parts[:min(depth, len(parts))], "/"))}
}

// split returns the parts of a path.
func split(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
}

// form returns a kind and a name; "" if the parts do not fit it.
type form func(parts []string) (kind, name string)

// forms lists the forms in the order in which they are tried.
var forms = []form{job, pod, container, machine, session, unitOf}

// job finds a job of Slurm: slurm/uid_1000/job_7/step_0/task_0 of version 1, with a node's name
// where a machine runs several slurmd (slurm_node1); system.slice/slurmstepd.scope/job_7/step_0 or
// system.slice/node1_slurmstepd.scope of version 2.
func job(parts []string) (kind, name string) {
	switch {
	case parts[0] == "slurm" || strings.HasPrefix(parts[0], "slurm_"):
		if len(parts) < 3 || !numbered(parts[1], "uid_") {
			return "", ""
		}
	case parts[0] == "system.slice" && len(parts) > 2 &&
		(parts[1] == "slurmstepd.scope" || strings.HasSuffix(parts[1], "_slurmstepd.scope")):
	default:
		return "", ""
	}
	if !numbered(parts[2], "job_") {
		return "", ""
	}
	name = parts[2][len("job_"):]
	if len(parts) > 3 {
		if step, ok := strings.CutPrefix(parts[3], "step_"); ok {
			name += "." + step
		}
	}
	return Job, name
}

// pod finds a container of a pod, or the pod itself. With the driver of files it is
// kubepods/burstable/podUID/ID; with systemd's
// kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podUID.slice/cri-containerd-ID.scope.
// All of it can be below kubelet or kubelet.slice, as in clusters inside containers.
func pod(parts []string) (kind, name string) {
	if parts[0] == "kubelet" || parts[0] == "kubelet.slice" {
		parts = parts[1:]
	}
	if len(parts) == 0 || strings.TrimPrefix(strings.TrimSuffix(parts[0], ".slice"),
		"kubelet-") != "kubepods" {
		return "", ""
	}
	for i, p := range parts[1:] {
		uid := podOf(p)
		if uid == "" {
			continue
		}
		if i+2 < len(parts) {
			if _, id := scopeOf(parts[i+2]); id != "" {
				return Pod, uid + "/" + id
			} else if isID(parts[i+2]) {
				return Pod, uid + "/" + short(parts[i+2])
			}
		}
		return Pod, uid
	}
	return "", ""
}

// IsPod reports whether a path is a pod's own cgroup, and no container's or other one in it.
func IsPod(path string) bool {
	parts := split(path)
	if len(parts) < 2 {
		return false
	}
	above, _ := pod(parts[:len(parts)-1])
	kind, _ := pod(parts)
	return above == "" && kind == Pod
}

// podOf returns a pod's UID; "" where the part is no pod's.
func podOf(part string) string {
	uid, isSlice := strings.CutSuffix(part, ".slice")
	if isSlice {
		at := strings.LastIndex(uid, "-pod")
		if at < 0 || !strings.Contains(uid[:at], "kubepods") {
			return ""
		}
		// systemd reads a dash as a slice within a slice.
		uid = strings.ReplaceAll(uid[at+len("-pod"):], "_", "-")
	} else if uid, isSlice = strings.CutPrefix(part, "pod"); !isSlice {
		return ""
	}
	if uid == "" || strings.Trim(uid, "0123456789abcdef-") != "" {
		return ""
	}
	return uid
}

// engines lists the prefixes of containers' scopes, with their engines.
var engines = []struct{ prefix, engine string }{
	{"docker-", "docker"}, {"libpod-conmon-", "podman"}, {"libpod-", "podman"},
	{"cri-containerd-", "containerd"}, {"nerdctl-", "containerd"},
	{"crio-conmon-", "cri-o"}, {"crio-", "cri-o"}, {"buildah-", "podman"},
}

// scopeOf finds a container's engine and its short id in a scope's name, or in a directory of the
// same form.
func scopeOf(part string) (engine, id string) {
	part = strings.TrimSuffix(part, ".scope")
	for _, e := range engines {
		if id, ok := strings.CutPrefix(part, e.prefix); ok && isID(id) {
			return e.engine, short(id)
		}
	}
	return "", ""
}

// container finds a container that is no pod's: a scope of an engine anywhere but among a user's
// own cgroups, docker/ID, libpod_parent/libpod-ID, lxc/NAME or lxc.payload.NAME.
func container(parts []string) (kind, name string) {
	if user := uidOf(parts); user != "" {
		for _, p := range parts[2:] {
			if engine, id := scopeOf(p); id != "" {
				return Container, user + "/" + engine + "/" + id
			}
		}
		return "", ""
	}
	if n, ok := strings.CutPrefix(parts[0], "lxc.payload."); ok && n != "" {
		return Container, "lxc/" + n
	}
	if len(parts) > 1 && parts[0] == "lxc" {
		return Container, "lxc/" + parts[1]
	}
	if len(parts) > 1 && parts[0] == "docker" && isID(parts[1]) {
		return Container, "docker/" + short(parts[1])
	}
	for _, p := range parts[:min(len(parts), 3)] {
		if engine, id := scopeOf(p); id != "" {
			return Container, engine + "/" + id
		}
		if !strings.HasSuffix(p, ".slice") && p != "libpod_parent" {
			break // below a unit everything belongs to the unit
		}
	}
	return "", ""
}

// machine finds a virtual machine of libvirt: machine.slice/machine-qemu\x2d1\x2dvm.scope, or
// machine/qemu-1-vm.libvirt-qemu without systemd; or one that systemd-machined knows.
func machine(parts []string) (kind, name string) {
	if len(parts) < 2 {
		return "", ""
	}
	switch parts[0] {
	case "machine.slice":
		n, ok := strings.CutSuffix(parts[1], ".scope")
		if m, is := strings.CutPrefix(n, "machine-"); ok && is && m != "" {
			return VM, driverless(unhex(m))
		}
		n, ok = strings.CutSuffix(parts[1], ".service")
		if m, is := strings.CutPrefix(n, "systemd-nspawn@"); ok && is && m != "" {
			return VM, unhex(m)
		}
	case "machine":
		for _, driver := range []string{".libvirt-qemu", ".libvirt-lxc"} {
			if n, ok := strings.CutSuffix(parts[1], driver); ok && n != "" {
				return VM, driverless(n)
			}
		}
	case "libvirt":
		if len(parts) > 2 && (parts[1] == "qemu" || parts[1] == "lxc") {
			return VM, parts[2]
		}
	}
	return "", ""
}

// driverless removes libvirt's driver and number from a machine's name: "qemu-1-vm" becomes "vm".
// Older names have no number.
func driverless(name string) string {
	rest, ok := strings.CutPrefix(name, "qemu-")
	if !ok {
		if rest, ok = strings.CutPrefix(name, "lxc-"); !ok {
			return name
		}
	}
	if n, vm, ok := strings.Cut(rest, "-"); ok && digits(n) && vm != "" {
		return vm
	}
	if rest == "" {
		return name
	}
	return rest
}

// session finds what a user runs: the session, or the last unit below the user's own manager.
func session(parts []string) (kind, name string) {
	user := uidOf(parts)
	if user == "" {
		return "", ""
	}
	if len(parts) < 3 {
		return Session, user
	}
	unit := parts[2]
	for _, p := range parts[3:] {
		if !strings.HasSuffix(p, ".service") && !strings.HasSuffix(p, ".scope") &&
			!strings.HasSuffix(p, ".slice") {
			break
		}
		unit = p
	}
	return Session, user + "/" + unhex(unit)
}

// uidOf returns the user in whose slice the path is; "" where there is none.
func uidOf(parts []string) string {
	if len(parts) < 2 || parts[0] != "user.slice" {
		return ""
	}
	n, ok := strings.CutSuffix(parts[1], ".slice")
	if user, is := strings.CutPrefix(n, "user-"); ok && is && digits(user) {
		return user
	}
	return ""
}

// unitOf finds the first unit below slices, or the last slice.
func unitOf(parts []string) (kind, name string) {
	slice := ""
	for _, p := range parts {
		if strings.HasSuffix(p, ".slice") {
			slice = p
			continue
		}
		for _, kind := range []string{".service", ".scope", ".socket", ".mount", ".swap"} {
			if strings.HasSuffix(p, kind) {
				return Unit, unhex(p)
			}
		}
		break
	}
	if slice == "" {
		return "", ""
	}
	return Unit, unhex(slice)
}
