package safefile

import (
	"bufio"
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// File is a file that is written for a user. Until Publish there is nothing under its name but what
// was there before.
type File struct {
	place  *place
	draft  *draft  // nil for a file that is written in place
	stream *stream // nil for a file
	named  bool
	closed bool
}

// Create begins a file. The error is of the place: no such directory, a directory of that name, a
// pipe without a reader. Close has to follow.
func Create(path string) (*File, error) {
	p, err := locate(path)
	if err != nil {
		return nil, err
	}
	f := &File{place: p}
	kept, err := p.occupant()
	switch {
	case err != nil:
	case kept.stream:
		f.stream, err = p.openStream()
	default:
		f.draft, err = p.newDraft(kept.attributes)
	}
	if err != nil {
		p.close()
		return nil, p.wrong("write", err)
	}
	return f, nil
}

// Write writes to the file, whether it has its name already or not.
func (f *File) Write(b []byte) (n int, err error) {
	if f.stream != nil {
		n, err = f.stream.Write(b)
	} else {
		n, err = f.draft.write(f.place, b)
		err = bare(err)
	}
	if err != nil {
		err = f.place.wrong("write", err)
	}
	return n, err
}

// Impatient lets a Write to a pipe fail when its reader has taken nothing for as long as a run can
// wait. Files and devices do not wait for anybody.
func (f *File) Impatient() {
	if f.stream != nil {
		f.stream.patience = patienceInRun
	}
}

// Publish gives the file its name, in place of an older one, when what was written is on disk. It
// can be written on.
func (f *File) Publish() error {
	if f.draft == nil || f.named {
		return nil
	}
	if err := f.draft.publish(f.place); err != nil {
		return f.place.wrong("write", bare(err))
	}
	f.named = true
	return nil
}

// Close closes the file. Without Publish before, nothing of it is left. A second Close does
// nothing.
func (f *File) Close() error {
	if f.closed {
		return nil
	}
	f.closed = true
	defer f.place.close()
	if f.stream != nil {
		return f.stream.close()
	}
	if err := f.draft.close(f.place); err != nil {
		return f.place.wrong("write", bare(err))
	}
	return nil
}

// Whole writes a file that appears whole or not at all.
func Whole(path string, write func(io.Writer) error) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	return f.Fill(write)
}

// Fill writes all of a file, publishes and closes it.
func (f *File) Fill(write func(io.Writer) error) error {
	buf := bufio.NewWriterSize(f, 1<<16)
	err := write(buf)
	if err == nil {
		err = buf.Flush()
	}
	if err == nil {
		err = f.Publish()
	}
	return errors.Join(err, f.Close())
}

// bare returns an error without the name of a draft, which means nothing to a user.
func bare(err error) error {
	var at *os.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// occupant describes the file that has a place's name, as far as its replacement depends on it.
type occupant struct {
	stream     bool         // written as it is
	pipe       bool         // a named one
	attributes *unix.Stat_t // mode and owner of the replaced file, which stay; nil for none
}

// occupant checks the file that has the name. Only a file that trusted users put there is written
// in place; device nodes come from root alone (mknod(2)), whoever owns them now, as with terminals.
func (p *place) occupant() (occupant, error) {
	if p.inherited != noFile {
		return occupant{stream: true}, nil
	}
	var at, dir unix.Stat_t
	switch err := unix.Fstatat(p.dir, p.name, &at, unix.AT_SYMLINK_NOFOLLOW); {
	case errors.Is(err, unix.ENOENT):
		return occupant{}, nil
	case err != nil:
		return occupant{}, err
	}
	if err := unix.Fstat(p.dir, &dir); err != nil {
		return occupant{}, err
	}
	switch at.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
		return occupant{}, unix.EISDIR
	case unix.S_IFCHR, unix.S_IFBLK:
		return occupant{stream: true}, nil
	case unix.S_IFIFO:
		return occupant{stream: trusted(at.Uid), pipe: true}, nil
	case unix.S_IFREG:
		// With a second name it can be another user's hard link to a file whose mode says nothing
		// of this one.
		if at.Nlink == 1 && (trusted(at.Uid) || at.Uid == dir.Uid) {
			return occupant{attributes: &at}, nil
		}
	}
	return occupant{}, nil
}

// Handle returns the file for another process to write to. A file has its name by then (Publish).
func (f *File) Handle() (*os.File, error) {
	fd := noFile
	if f.stream != nil {
		fd = f.stream.fd
	} else if f.draft.file != nil {
		fd = int(f.draft.file.Fd())
	}
	again, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, f.place.wrong("write", err)
	}
	return os.NewFile(uintptr(again), f.place.path), nil
}
