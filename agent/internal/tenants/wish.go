package tenants

import (
	"regexp"
	"strings"
)

// Annotation is the annotation of a pod that asks for a budget: "5%".
const Annotation = "ebb.energy/slowdown"

// mostText bounds the annotation's text, in bytes.
const mostText = 64

// form is what the annotation may be, as for a job's comment of Slurm.
var form = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?%$`)

// uidForm is a pod's uid, as the API server makes it.
var uidForm = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// Slowdown reads the annotation. Any other text than a number with a percent sign is no wish: a
// pod's owner writes it.
func Slowdown(text string) (slowdown string, ok bool) {
	return text, len(text) <= mostText && form.MatchString(text)
}

// Wish is a pod that runs and asks for a budget.
type Wish struct {
	Namespace, Pod, UID string
	Class               string // of service: "Guaranteed", "Burstable", "BestEffort"
	Slowdown            string
}

// cgroups are the places at which the pod's cgroup can be, by both drivers of the kubelet.
func (w *Wish) cgroups() []string {
	if !uidForm.MatchString(w.UID) {
		return nil
	}
	uid := strings.ReplaceAll(w.UID, "-", "_") // systemd reads a hyphen as a slice within a slice
	switch class := strings.ToLower(w.Class); class {
	case "burstable", "besteffort":
		slice := "kubepods-" + class
		return []string{"/kubepods.slice/" + slice + ".slice/" + slice + "-pod" + uid + ".slice",
			"/kubepods/" + class + "/pod" + w.UID}
	case "guaranteed":
		return []string{"/kubepods.slice/kubepods-pod" + uid + ".slice", "/kubepods/pod" + w.UID}
	}
	return nil
}
