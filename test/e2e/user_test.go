package e2e

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestCommandRunsAsTheUser: id, groups and environment are the user's, and its rights.
func TestCommandRunsAsTheUser(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	nobody, err := user.Lookup("nobody")
	if err != nil {
		t.Skip("there is no user nobody")
	}
	groups, err := nobody.GroupIds()
	if err != nil {
		t.Fatal(err)
	}
	const script = `echo $(id -u) $(id -g) $HOME $USER $LOGNAME $KEPT $TOKEN; id -G; ` +
		`cat /etc/shadow >/dev/null 2>&1 && echo may read; ` +
		`grep -E '^(NoNewPrivs|Seccomp):' /proc/self/status | tr -s '\t\n' '  '; exit 7`
	for _, who := range []string{"nobody", nobody.Uid} {
		cmd := command(t, "run", "--quiet", "--shadow", "--user", who, "--keep-env", "KEPT,TERM",
			"--", "sh", "-c", script)
		cmd.Env = append(cmd.Environ(), "HOME=/root", "USER=root", "LOGNAME=root", "KEPT=kept",
			"TOKEN=secret")
		r := finish(t, cmd)
		want := strings.Join([]string{nobody.Uid, nobody.Gid, nobody.HomeDir, "nobody", "nobody",
			"kept"}, " ") + "\n" + strings.Join(groups, " ") + "\n" +
			"NoNewPrivs: 1 Seccomp: 2 "
		if r.code != 7 || r.stdout != want || r.stderr != "" {
			t.Errorf("--user %s: status %d, %q, want %q; %s", who, r.code, r.stdout, want, r.stderr)
		}
	}
}

// TestCommandRunsAsTheCallerOfSudo: under sudo the command has the caller's ids, groups and
// environment, and what it and ebb make belongs to the caller; --user root keeps root. Where sudo's
// variables contradict the user database, nothing runs.
func TestCommandRunsAsTheCallerOfSudo(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	nobody, err := user.Lookup("nobody")
	if err != nil {
		t.Skip("there is no user nobody")
	}
	uid, _ := strconv.Atoi(nobody.Uid)
	home, err := os.MkdirTemp(scratch, "caller-")
	if err == nil {
		err = os.Chown(home, uid, -1)
	}
	if err != nil {
		t.Fatal(err)
	}
	under := func(environment []string, args ...string) result {
		cmd := command(t, args...)
		cmd.Dir = home
		cmd.Env = append(cmd.Environ(), "HOME=/root", "USER=root", "LOGNAME=root",
			"MAIL=/var/mail/root", "SUDO_COMMAND=ebb", "KEPT=kept")
		cmd.Env = append(cmd.Env, environment...)
		return finish(t, cmd)
	}
	sudo := []string{"SUDO_USER=nobody", "SUDO_UID=" + nobody.Uid, "SUDO_GID=" + nobody.Gid}
	const script = `echo $(id -u) $(id -g) $(id -G) $HOME $USER $LOGNAME $KEPT $MAIL` +
		` $SUDO_UID $SUDO_GID $SUDO_USER $SUDO_COMMAND; echo x >made`
	r := under(sudo, "run", "--shadow", "--report", "report.json", "--", "sh", "-c", script)
	want := strings.Join([]string{nobody.Uid, nobody.Gid, nobody.Gid, nobody.HomeDir, "nobody",
		"nobody", "kept"}, " ") + "\n"
	first, _, _ := strings.Cut(r.stderr, "\n")
	if r.code != 0 || r.stdout != want || !strings.Contains(first, "sh as nobody, who called") {
		t.Errorf("status %d, %q, want %q; %s", r.code, r.stdout, want, r.stderr)
	}
	for _, made := range []string{"made", "report.json"} {
		info, err := os.Stat(filepath.Join(home, made))
		if err != nil {
			t.Fatal(err)
		}
		if s := info.Sys().(*syscall.Stat_t); int(s.Uid) != uid || fmt.Sprint(s.Gid) != nobody.Gid {
			t.Errorf("%s belongs to %d:%d", made, s.Uid, s.Gid)
		}
	}
	for _, kept := range [][]string{{"SUDO_USER=root", "SUDO_UID=0", "SUDO_GID=0"}, sudo} {
		args := []string{"run", "--quiet", "--shadow", "--user", "root", "--", "id", "-u"}
		if kept[1] == "SUDO_UID=0" { // root called sudo
			args = slices.Delete(args, 3, 5)
		}
		if r := under(kept, args...); r.code != 0 || r.stdout != "0\n" {
			t.Errorf("%v: status %d, %q, %s", args, r.code, r.stdout, r.stderr)
		}
	}
	for _, c := range []struct{ environment, says string }{
		{"SUDO_USER=root", `SUDO_USER is "root", whose number is 0`},
		{"SUDO_GID=0", `SUDO_GID is "0", which is no group of nobody`},
		{"SUDO_GID=-1", "no group of nobody"},
		{"SUDO_UID=", "no user's number"},
		{"SUDO_UID=4294967295", "no user's number"},
		{"SUDO_UID= 0", "no user's number"},
		{"SUDO_UID=0x0", "no user's number"},
		{"SUDO_UID=4294967290", "4294967290"},
	} {
		refused(t, under(append(slices.Clone(sudo), c.environment), "run", "--shadow", "--",
			"touch", "ran"), 2, c.says, "--user root")
	}
	if _, err := os.Stat(filepath.Join(home, "ran")); err == nil {
		t.Error("a refused run ran")
	}
}

// TestMeasuredCommandsRunAsTheCaller: what bench and calm run, alone and under ebb, runs as the
// user who called sudo, or as the one that --user names.
func TestMeasuredCommandsRunAsTheCaller(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	nobody, err := user.Lookup("nobody")
	if err != nil {
		t.Skip("there is no user nobody")
	}
	b := layBench(t, benchTree)
	dir, err := os.MkdirTemp(scratch, "caller-")
	if err == nil {
		err = os.Chmod(dir, 0o777)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, argv := range [][]string{
		{"bench", "--sysfs", b.tree, "--run-dir", b.runDir, "--runs", "1", "--frequencies", "2GHz"},
		{"calm", "--runs", "2", "--periods", "100", "--batches", "0"},
	} {
		for who, want := range map[string]string{"": nobody.Uid, "root": "0"} {
			ids := filepath.Join(dir, "ids")
			args := append(slices.Clone(argv), "--quiet")
			if who != "" {
				args = append(args, "--user", who)
			}
			cmd := command(t, append(args, "--", "sh", "-c", "id -u >>"+ids)...)
			cmd.Env = append(cmd.Environ(), "SUDO_USER=nobody", "SUDO_UID="+nobody.Uid,
				"SUDO_GID="+nobody.Gid)
			r := finish(t, cmd)
			got := strings.Fields(read(t, ids))
			if !judged(r) || len(got) < 4 || len(slices.Compact(got)) != 1 || got[0] != want {
				t.Errorf("%s --user %q: status %d, ran as %v, want %s; %s", argv[0], who, r.code,
					got, want, r.stderr)
			}
			if err := os.Remove(ids); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestUserThatCanNotBe(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	refused(t, ebb(t, "run", "--user", "no-such-user", "--", "true"), 2, "no such user")
	refused(t, ebb(t, "run", "--user", "nobody", "--pid", gonePID(t)), 2, "keeps its user")
	// A file that the user may not execute does not run.
	own := filepath.Join(t.TempDir(), "own")
	if err := os.WriteFile(own, []byte("#!/bin/sh\necho ran\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	refused(t, ebb(t, "run", "--quiet", "--shadow", "--user", "nobody", "--", own), 2,
		"cannot run the command", "permission denied")
	cmd := command(t, "run", "--user", "root", "--", "true")
	unprivileged(cmd)
	refused(t, finish(t, cmd), 1, "only root")
}
