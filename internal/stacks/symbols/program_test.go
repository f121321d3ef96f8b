package symbols

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// sh is the shell's own file, copied to where the test can link it.
func sh(t *testing.T, path string) {
	t.Helper()
	b, err := os.ReadFile("/bin/sh")
	if err == nil {
		err = os.WriteFile(path, b, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestProgram: a program has the name that it was started as where that is a link to its file, and
// a script's is its interpreter's.
func TestProgram(t *testing.T) {
	dir := t.TempDir()
	in := func(parts ...string) string { return filepath.Join(append([]string{dir}, parts...)...) }
	for _, d := range []string{"bin", "opt"} {
		if err := os.Mkdir(in(d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	sh(t, in("opt", "real-1.2"))
	link := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	link(os.Symlink("real-1.2", in("opt", "beside")))
	link(os.Symlink("../opt/beside", in("bin", "twice")))
	link(os.Link(in("opt", "real-1.2"), in("opt", "hard")))
	script := "#!" + in("bin", "twice") + "\necho\nread x\n"
	link(os.WriteFile(in("bin", "script"), []byte(script), 0o755))
	for _, tt := range []struct {
		start, argument, cwd string
		want                 string
	}{
		{in("opt", "real-1.2"), "real-1.2", "", "real-1.2"},
		{in("opt", "beside"), "beside", "", "beside"},
		{in("bin", "twice"), "twice", "", "twice"},
		{in("opt", "hard"), "hard", "", "hard"},
		{"./twice", "twice", in("bin"), "twice"},
		{in("opt", "beside"), "another name altogether", "", "beside"},
		{in("opt", "real-1.2"), "/no/such/program", "", "real-1.2"},
		{in("bin", "script"), "script", "", "twice"},
	} {
		r, _ := newLocal(t)
		c := &exec.Cmd{Path: tt.start, Args: []string{tt.argument}, Dir: tt.cwd}
		if filepath.Base(tt.start) != "script" {
			c.Args = append(c.Args, "-c", "echo; read x")
		}
		in, err := c.StdinPipe()
		link(err)
		out, err := c.StdoutPipe()
		link(err)
		link(c.Start())
		// Its exec is over when it speaks; Start returns in the middle of it.
		_, err = out.Read(make([]byte, 1))
		link(err)
		i := r.image(c.Process.Pid)
		r.Prepare(i)
		found := false
		for _, m := range r.process(i, 0).maps {
			found = found || m.module == tt.want
			if m.module != module(m.Path) && m.module != tt.want {
				t.Errorf("%s: %s is called %q", tt.start, m.Path, m.module)
			}
		}
		if !found {
			t.Errorf("started as %s with the first argument %q: no file is called %q", tt.start,
				tt.argument, tt.want)
		}
		link(in.Close())
		_ = c.Wait() // read fails at the end of its input
	}
}

// FuzzAuxiliary reads any list that a kernel could have made, and no more of it than there is.
func FuzzAuxiliary(f *testing.F) {
	pairs := func(words ...uint64) (b []byte) {
		for _, w := range words {
			b = binary.LittleEndian.AppendUint64(b, w)
		}
		return b
	}
	f.Add(pairs(6, 4096, auxEntry, 0x1000, auxName, 0x7fff0000, 0, 0))
	f.Add(pairs(auxName))
	f.Add(pairs(auxEntry, 1, 0, 7, auxEntry, 2, auxName, 3))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, list []byte) {
		entry, path := auxiliary(list)
		var wantEntry, wantPath uint64
		for at := 0; at+16 <= len(list); at += 16 {
			word := func(n int) uint64 { return binary.LittleEndian.Uint64(list[at+8*n:]) }
			if word(0) == 0 {
				break
			}
			switch word(0) {
			case auxEntry:
				wantEntry = word(1)
			case auxName:
				wantPath = word(1)
			}
		}
		if entry != wantEntry || path != wantPath {
			t.Errorf("%x has %#x and %#x, want %#x and %#x", list, entry, path, wantEntry, wantPath)
		}
	})
}
