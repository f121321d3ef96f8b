package view

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/internal/safefile"
)

// debuginfodClient is elfutils' own client, which asks the servers. It keeps fetched files below
// the user's cache directory, where gdb finds them as well.
const debuginfodClient = "debuginfod-find"

// Bounds of one file: its bytes, and the time of its download. All files of one report together
// have maxSum bytes.
const (
	maxFetched = 1 << 30
	maxSum     = 4 << 30
	fetchTime  = 10 * time.Minute
	maxServers = 16
	// silence is the time after which servers that gave nothing are asked no more in a report. The
	// client itself waits 90 s for each file, unless DEBUGINFOD_TIMEOUT says otherwise.
	silence = 20 * time.Second
)

// debuginfod asks servers for files of symbols.
type debuginfod struct {
	urls   []string
	client string // path of the client
	cache  string // path of the client's cache
	sum    int64  // number of bytes fetched so far
	// silence is as above; silent says that servers gave nothing for so long.
	silence time.Duration
	silent  bool
}

var (
	errRoot = errors.New("ebb asks no server as root: as an ordinary user it reads a report as " +
		"well")
	errNoServers = errors.New("no server is named: DEBUGINFOD_URLS in the environment names " +
		"them, as https://debuginfod.debian.net")
	errSilent = errors.New("it is not asked for: before, the servers gave nothing for long")
	errNoRoom = fmt.Errorf("it is not fetched: of one report at most %d GiB are, and at most half "+
		"of what is free", maxSum>>30)
)

// newDebuginfod takes the servers of an environment's DEBUGINFOD_URLS.
func newDebuginfod(urls string, root bool) (*debuginfod, error) {
	if root {
		return nil, errRoot
	}
	d := &debuginfod{silence: silence}
	var err error
	if d.urls, err = servers(urls); err != nil {
		return nil, err
	}
	if d.client, err = exec.LookPath(debuginfodClient); err != nil {
		return nil, fmt.Errorf("%s is not installed, which asks the servers: it is in the "+
			"package debuginfod (Debian, Ubuntu, Arch) or elfutils-debuginfod-client (Fedora)",
			debuginfodClient)
	}
	d.cache = cacheDirectory()
	return d, nil
}

// servers returns the addresses in DEBUGINFOD_URLS, which blanks separate. Words on the signing of
// answers (ima:) are no addresses.
func servers(text string) (out []string, err error) {
	for _, word := range strings.Fields(text) {
		if strings.HasPrefix(word, "ima:") {
			continue
		}
		u, err := url.Parse(word)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, fmt.Errorf("DEBUGINFOD_URLS: %s is no address of a server",
				printable.Name(word))
		}
		if u.User != nil {
			return nil, fmt.Errorf("DEBUGINFOD_URLS: the address at %s has a password, which "+
				"other users of this machine could see", printable.Name(u.Host))
		}
		out = append(out, u.String())
	}
	if len(out) == 0 {
		return nil, errNoServers
	}
	if len(out) > maxServers {
		return nil, fmt.Errorf("DEBUGINFOD_URLS names %d servers: at most %d are asked", len(out),
			maxServers)
	}
	return out, nil
}

// Hosts returns the servers' names, each once.
func (d *debuginfod) Hosts() (out []string) {
	seen := map[string]bool{}
	for _, s := range d.urls {
		u, err := url.Parse(s)
		if err != nil || seen[u.Host] {
			continue // servers has checked it
		}
		seen[u.Host] = true
		out = append(out, printable.Name(u.Host))
	}
	return out
}

// Find fetches the file of symbols. There is at most one.
func (d *debuginfod) Find(ctx context.Context, f *unnamed, nth int) (*os.File, error) {
	if nth > 0 {
		return nil, fs.ErrNotExist
	}
	most, err := room(d.cache, maxSum-d.sum)
	if err != nil {
		return nil, err
	}
	found, begin := before(d.cache, f.BuildID), time.Now()
	switch {
	case found.had: // nothing is fetched
	case most <= 0:
		return nil, errNoRoom
	case d.silent:
		return nil, errSilent
	}
	path, err := d.fetch(ctx, f.BuildID, max(most, 1)) // to the client, 0 is no limit
	if err != nil {
		d.silent = time.Since(begin) >= d.silence && !found.came()
		return nil, errors.Join(err, found.clean())
	}
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: printable.Name(path), Err: err}
	}
	file, err := safefile.Reopen(fd, path)
	if err != nil {
		return nil, err
	}
	if s, err := file.Stat(); err == nil && !found.had {
		d.sum += s.Size()
	}
	return file, nil
}

// fetch has the client ask for a file of a limited number of bytes, and returns its path.
func (d *debuginfod) fetch(ctx context.Context, id string, most int64) (path string, err error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, d.client, "debuginfo", id)
	cmd.Env = append(slices.DeleteFunc(os.Environ(), talks),
		"DEBUGINFOD_URLS="+strings.Join(d.urls, " "),
		fmt.Sprintf("DEBUGINFOD_MAXSIZE=%d", most), "LC_ALL=C")
	cmd.WaitDelay = time.Second
	var says, fails short
	cmd.Stdout, cmd.Stderr = &says, &fails
	if err := cmd.Start(); err != nil {
		return "", fmt.Errorf("start %s: %w", debuginfodClient, err)
	}
	// A server need not send the length of a file.
	limit := unix.Rlimit{Cur: uint64(most), Max: uint64(most)}
	if err := unix.Prlimit(cmd.Process.Pid, unix.RLIMIT_FSIZE, &limit, nil); err != nil &&
		err != unix.ESRCH {
		err = fmt.Errorf("limit %s: %w", debuginfodClient, err)
		return "", errors.Join(err, cmd.Process.Kill(), cmd.Wait())
	}
	if err := cmd.Wait(); err != nil {
		why := strings.TrimSpace(fails.String())
		if ctx.Err() != nil {
			why = "it took too long"
		}
		if why == "" {
			return "", fmt.Errorf("no server gave its symbols: %w", err)
		}
		return "", fmt.Errorf("no server gave its symbols: %w: %s", err, printable.Name(why))
	}
	return strings.TrimSuffix(says.String(), "\n"), nil
}

// talks reports whether a variable would make the client print more than its errors.
func talks(variable string) bool {
	return strings.HasPrefix(variable, "DEBUGINFOD_PROGRESS=") ||
		strings.HasPrefix(variable, "DEBUGINFOD_VERBOSE=")
}

// short keeps the first bytes that are written to it.
type short struct{ bytes.Buffer }

// Write accepts all bytes and keeps the first ones.
func (s *short) Write(b []byte) (int, error) {
	const most = 4 << 10
	_, _ = s.Buffer.Write(b[:min(len(b), max(0, most-s.Len()))]) // it never fails
	return len(b), nil
}
