package safefile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func has(t *testing.T, path, want string) {
	t.Helper()
	if b, err := os.ReadFile(path); string(b) != want {
		t.Errorf("%s has %q (%v), want %q", path, b, err, want)
	}
}

// only says which names a directory has, and no draft beside them.
func only(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("%s has %q, want %q", dir, got, want)
	}
}

// A file is there whole or not at all, and there is nothing else after an error.
func TestWholeOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	must(t, Whole(path, text("new")))
	has(t, path, "new")
	must(t, os.WriteFile(path, []byte("what was there before, and longer"), 0o600))
	err := Whole(path, func(w io.Writer) error {
		_, err := w.Write(make([]byte, 1<<20))
		return errors.Join(err, unix.EIO)
	})
	if !errors.Is(err, unix.EIO) {
		t.Errorf("error %v", err)
	}
	has(t, path, "what was there before, and longer")
	must(t, Whole(path, text("shorter")))
	has(t, path, "shorter")
	only(t, dir, "file")
	for path, want := range map[string]error{filepath.Join(dir, "none", "file"): unix.ENOENT,
		dir: unix.EISDIR, path + "/x": unix.ENOTDIR, "": unix.ENOENT, dir + "/": unix.EISDIR} {
		if err := Whole(path, text("x")); !errors.Is(err, want) ||
			strings.Contains(err.Error(), ".ebb-") {
			t.Errorf("%q: %v, want %v", path, err, want)
		}
	}
}

// A file system without nameless files leaves no draft either.
func TestNamedDraft(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	for _, end := range []string{"published", "closed"} {
		f, err := Create(path)
		must(t, err)
		must(t, f.draft.file.Close())
		f.draft.file = nil // as where the file system has none
		if end == "published" {
			only(t, dir)
		}
		if _, err := io.WriteString(f, end); err != nil {
			t.Fatal(err)
		}
		if end == "published" {
			must(t, f.Publish())
		}
		must(t, f.Close())
		only(t, dir, "file")
		has(t, path, "published")
	}
}

// A new file has what the umask leaves, one that takes the place of another has its mode.
func TestModes(t *testing.T) {
	defer unix.Umask(unix.Umask(0o077))
	dir := t.TempDir()
	mode := func(path string, want os.FileMode) {
		t.Helper()
		if info, err := os.Lstat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: mode %v (%v), want %v", path, info.Mode(), err, want)
		}
	}
	path := filepath.Join(dir, "file")
	must(t, Whole(path, text("new")))
	mode(path, 0o600)
	for _, m := range []os.FileMode{0o640, 0o664, 0o400, 0o600} {
		must(t, os.Chmod(path, m))
		must(t, Whole(path, text("newer")))
		mode(path, m)
	}
	must(t, os.Chmod(path, 0o755|os.ModeSetuid))
	must(t, Whole(path, text("newest")))
	mode(path, 0o755)
	// A second name can be another user's hard link, so the mode says nothing.
	must(t, os.Chmod(path, 0o666))
	must(t, os.Link(path, filepath.Join(dir, "second")))
	must(t, Whole(path, text("last")))
	mode(path, 0o600)
	has(t, filepath.Join(dir, "second"), "newest")
	unix.Umask(0o027)
	must(t, Whole(filepath.Join(dir, "other"), text("new")))
	mode(filepath.Join(dir, "other"), 0o640)
	f, err := Append(filepath.Join(dir, "journal"))
	must(t, err)
	must(t, f.Close())
	mode(filepath.Join(dir, "journal"), 0o640)
}

// A user's own link leads to the file that is meant; it stays, and the file is replaced.
func TestOwnLinks(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	must(t, os.Mkdir(filepath.Join(other, "sub"), 0o755))
	must(t, os.Symlink(filepath.Join(other, "sub"), filepath.Join(dir, "way")))
	must(t, os.Symlink("way/../real", filepath.Join(dir, "link")))
	must(t, os.Symlink("loop", filepath.Join(dir, "loop")))
	must(t, Whole(filepath.Join(dir, "way", "file"), text("through a directory")))
	has(t, filepath.Join(other, "sub", "file"), "through a directory")
	for range 2 { // into the place of nothing, and of a file
		must(t, Whole(filepath.Join(dir, "link"), text("through a link")))
		has(t, filepath.Join(other, "real"), "through a link")
	}
	if err := Whole(filepath.Join(dir, "loop"), text("x")); !errors.Is(err, unix.ELOOP) {
		t.Errorf("a link to itself: %v", err)
	}
	only(t, dir, "link", "loop", "way")
	t.Chdir(dir)
	must(t, Whole("./way/file", text("from here")))
	must(t, Whole("plain", text("plain")))
	has(t, filepath.Join(other, "sub", "file"), "from here")
	has(t, filepath.Join(dir, "plain"), "plain")
}

// A file that is published while it is being written has all that is written later.
func TestPublishedEarly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "recording")
	must(t, os.WriteFile(path, []byte("an older one, longer than the new one"), 0o600))
	f, err := Create(path)
	must(t, err)
	must(t, text("head ")(f))
	has(t, path, "an older one, longer than the new one")
	must(t, f.Publish())
	has(t, path, "head ")
	must(t, text("tail")(f))
	must(t, f.Publish())
	has(t, path, "head tail")
	must(t, f.Close())
	has(t, path, "head tail")
}

func TestAppend(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "journal")
	for _, want := range []string{"", "line\n"} {
		f, err := Append(path)
		must(t, err)
		b, err := io.ReadAll(f)
		if err != nil || string(b) != want {
			t.Errorf("read %q, %v; want %q", b, err, want)
		}
		_, err = f.WriteString("line\n")
		must(t, errors.Join(err, f.Close()))
	}
	has(t, path, "line\nline\n")
	must(t, os.Link(path, filepath.Join(dir, "second")))
	must(t, unix.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	must(t, os.Symlink(path, filepath.Join(dir, "link")))
	must(t, os.Symlink("nowhere", filepath.Join(dir, "dangling")))
	for name, want := range map[string]error{"journal": errOthersFile, "pipe": errNoFile,
		"link": errOthersFile, ".": unix.EISDIR} {
		if _, err := Append(filepath.Join(dir, name)); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
	if _, err := Append(os.DevNull); !errors.Is(err, errNoFile) {
		t.Errorf("%s: %v", os.DevNull, err)
	}
	// the user's own link leads to where the file is to be
	f, err := Append(filepath.Join(dir, "dangling"))
	must(t, err)
	must(t, f.Close())
	has(t, filepath.Join(dir, "nowhere"), "")
}

func TestDirectory(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a", "b", "c")
	must(t, Directory(path))
	must(t, Directory(path+"/"))
	must(t, Whole(filepath.Join(path, "file"), text("new")))
	for path, want := range map[string]error{filepath.Join(path, "file"): unix.ENOTDIR,
		"": unix.ENOENT} {
		if err := Directory(path); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", path, err, want)
		}
	}
}

func TestScratch(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	for _, make := range []func() (*os.File, error){
		Unnamed, func() (*os.File, error) {
			return Scratch(filepath.Join(dir,
				"file"))
		}, func() (*os.File, error) { return Scratch(os.DevNull) },
	} {
		f, err := make()
		must(t, err)
		_, err = f.WriteString("kept nowhere")
		must(t, err)
		only(t, dir)
		must(t, f.Close())
	}
	d, err := TemporaryDirectory()
	must(t, err)
	if info, err := os.Stat(d); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%s: %v, %v", d, info, err)
	}
	if err := Check(filepath.Join(dir, "none", "file")); !errors.Is(err, unix.ENOENT) {
		t.Errorf("Check: %v", err)
	}
	must(t, Check(filepath.Join(dir, "file")))
	must(t, CheckFile(filepath.Join(dir, "file")))
}
