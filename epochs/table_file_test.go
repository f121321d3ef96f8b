package epochs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// TestNothingLeftBehind looks at the directory while a table is written: nothing is there that a kill could leave.
func TestNothingLeftBehind(t *testing.T) {
	h, counters, epochs := sample()
	for _, name := range []string{"t.csv", "t.csv.gz"} {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		w, err := Create(path, counters)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 20000 {
			e := epochs[1]
			e.Start += int64(i) * e.Dur
			if err := w.Write(&e); err != nil {
				t.Fatal(err)
			}
		}
		if got := names(t, dir); len(got) != 0 {
			t.Errorf("there is %v before Close", got)
		}
		w.Discard()
		if err := w.Close(h); !errors.Is(err, os.ErrClosed) {
			t.Errorf("Close after Discard: %v", err)
		}
		if got := names(t, dir); len(got) != 0 {
			t.Errorf("there is %v after Discard", got)
		}
		// An older file stays until the new one is complete; a link to it is followed.
		if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		link := filepath.Join(t.TempDir(), name)
		if err := os.Symlink(path, link); err != nil {
			t.Fatal(err)
		}
		writeTable(t, link, h, counters, epochs)
		if got := names(t, dir); len(got) != 1 || got[0] != name {
			t.Errorf("there is %v after Close", got)
		}
		r, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		got, err := readAll(r)
		if err != nil {
			t.Fatal(err)
		}
		mustEqual(t, got, epochs)
	}
}

// Another user's link is replaced, not followed.
func TestOthersLinkIsReplaced(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make a link of another user")
	}
	dir := t.TempDir()
	precious, link := filepath.Join(dir, "precious"), filepath.Join(dir, "t.csv")
	if err := errors.Join(os.WriteFile(precious, []byte("kept"), 0o600), os.Symlink(precious, link), os.Lchown(link, 65534, 65534)); err != nil {
		t.Fatal(err)
	}
	if err := publish(link, func(f *os.File) error { _, err := f.WriteString("new"); return err }); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(precious); string(b) != "kept" {
		t.Errorf("what the link led to has %q (%v)", b, err)
	}
	if info, err := os.Lstat(link); err != nil || !info.Mode().IsRegular() {
		t.Errorf("the link was not replaced (%v)", err)
	}
}

func TestCreateRefuses(t *testing.T) {
	dir := t.TempDir()
	if _, err := Create(dir, nil); err == nil {
		t.Error("a directory is accepted")
	}
	if _, err := Create(filepath.Join(dir, "no", "t.csv"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in a directory that is not there: %v", err)
	}
	for _, counters := range [][]string{{"tid"}, {"a", "a"}, {""}, {"a,b"}, {"a\nb"}} {
		if _, err := Create(filepath.Join(dir, "t.csv"), counters); !errors.Is(err, ErrColumn) {
			t.Errorf("counters %q: %v", counters, err)
		}
	}
	if got := names(t, dir); len(got) != 0 {
		t.Errorf("%v is left", got)
	}
}

func TestWriteRefuses(t *testing.T) {
	tests := map[string]Epoch{
		"negative duration":  {Start: 10, Dur: -1},
		"overlap":            {Start: 9, Dur: 5},
		"few counters":       {Start: 10, Dur: 5, Rows: []Row{{Thread: 1, Values: []int64{1}}}},
		"negative counter":   {Start: 10, Dur: 5, Rows: []Row{{Thread: 1, Values: []int64{1, -1}}}},
		"threads disordered": {Start: 10, Dur: 5, Rows: []Row{{Thread: 2, Values: []int64{1, 1}}, {Thread: 1, Values: []int64{1, 1}}}},
		"unknown end":        {Start: 10, Dur: 5, Ends: []End{{Kind: 'Q', Thread: 1}}},
		"end of no thread":   {Start: 10, Dur: 5, Ends: []End{{Kind: EndSleep, Thread: NoThread}}},
	}
	for name, e := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			w, err := Create(filepath.Join(dir, "t.csv"), []string{"a", "b"})
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Write(&Epoch{Dur: 10}); err != nil {
				t.Fatal(err)
			}
			if err := w.Write(&e); !errors.Is(err, ErrEpoch) {
				t.Errorf("Write: %v", err)
			}
			if err := w.Close(Header{Frequency: 1, TimeUnit: Nanosecond}); !errors.Is(err, ErrEpoch) {
				t.Errorf("Close: %v", err)
			}
			if got := names(t, dir); len(got) != 0 {
				t.Errorf("%v is left", got)
			}
		})
	}
	w, err := Create(filepath.Join(t.TempDir(), "t.csv"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(Header{TimeUnit: Nanosecond}); !errors.Is(err, ErrHeader) {
		t.Errorf("without a frequency: %v", err)
	}
}

// TestWithoutNamelessFiles takes the way for file systems that have none.
func TestWithoutNamelessFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t")
	fill := func(f *os.File) error { _, err := f.WriteString("new"); return err }
	if err := publishRenamed(path, fill); err != nil || string(mustRead(t, path)) != "new" {
		t.Errorf("%v, %q", err, mustRead(t, path))
	}
	refused := errors.New("refused")
	if err := publishRenamed(path, func(*os.File) error { return refused }); !errors.Is(err, refused) {
		t.Error(err)
	}
	if got := names(t, filepath.Dir(path)); len(got) != 1 {
		t.Errorf("%v is left", got)
	}
}

func TestWriteDevice(t *testing.T) {
	h, counters, epochs := sample()
	writeTable(t, os.DevNull, h, counters, epochs)
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Errorf("%s was replaced: %v", os.DevNull, err)
	}
}
