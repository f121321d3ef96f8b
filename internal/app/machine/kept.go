package machine

import "fmt"

// kept is a file that other programs read, and that each window replaces.
type kept struct {
	path    string // "" for none
	flag    string // that named it
	problem string // why it was not replaced the last time; "" where it was
}

// replace replaces the file. One that cannot be replaced, as on a full disk, keeps what it has, and
// the next window tries again: the account is worth more than a copy of it. Why comes back once,
// until it is another reason.
func (k *kept) replace(text []byte) error {
	err := toFile(k.path, text)
	said := k.problem
	if k.problem = ""; err == nil {
		return nil
	}
	if k.problem = err.Error(); k.problem == said {
		return nil
	}
	return fmt.Errorf("--%s is not replaced, and is tried again at each interval: %w", k.flag, err)
}
