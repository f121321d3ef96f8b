package safefile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

var (
	// errNoFile: something else than a file has the name.
	errNoFile = errors.New("not a regular file")
	// errOthersFile: a file of another user, or one that has a second name, is not written in
	// place.
	errOthersFile = errors.New("the file belongs to another user or has a second name")
)

// Append opens a file to be read and then added to, as a journal is, and makes it where there is
// none. Each addition is there at once, so the file is written in place: it has to be the user's
// own, with no other name.
func Append(path string) (*os.File, error) {
	p, err := locate(path)
	if err != nil {
		return nil, err
	}
	defer p.close()
	fd, err := p.openOwn()
	if err != nil {
		return nil, p.wrong("open", err)
	}
	return os.NewFile(uintptr(fd), path), nil
}

func (p *place) openOwn() (int, error) {
	if p.inherited != noFile {
		return noFile, errNoFile
	}
	const flags = unix.O_RDWR | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC
	fd, err := open(p.dir, p.name, flags, 0)
	if errors.Is(err, unix.ENOENT) {
		if fd, err = open(p.dir, p.name, flags|unix.O_CREAT|unix.O_EXCL, newMode); err == nil {
			syncDirectory(p.dir)
			return fd, nil
		}
	}
	switch {
	case errors.Is(err, unix.ELOOP):
		return noFile, errOthersLink
	case errors.Is(err, unix.ENXIO):
		return noFile, errNoFile
	case err != nil:
		return noFile, err
	}
	if err := own(fd); err != nil {
		unix.Close(fd)
		return noFile, err
	}
	return fd, nil
}

// own returns the reason why an opened file must not be written in place.
func own(fd int) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	switch {
	case st.Mode&unix.S_IFMT != unix.S_IFREG:
		return errNoFile
	case !trusted(st.Uid) || st.Nlink != 1:
		return errOthersFile
	}
	return nil
}
