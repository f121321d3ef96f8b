package command

import "runtime/debug"

// Release is the number of this release, or of the next one. A tag vN of the repository has the
// same number.
const Release = "0.9.0"

// Version returns the release's number and the commit that the binary was built from, such as
// "0.9.0+8cb6302be9d5". Without a commit, as in an archive of the sources, it returns the number.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Release
	}
	return version(info.Settings)
}

func version(settings []debug.BuildSetting) string {
	const hash = 12 // digits of the commit in the version
	revision, changed := "", ""
	for _, s := range settings {
		switch s.Key {
		case "vcs.revision":
			revision = "+" + s.Value[:min(hash, len(s.Value))]
		case "vcs.modified":
			if s.Value == "true" {
				changed = ".changed"
			}
		}
	}
	if revision == "" {
		return Release
	}
	return Release + revision + changed
}
