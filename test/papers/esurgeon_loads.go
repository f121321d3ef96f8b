package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

var (
	// steps are the numbers of CPUs that are loaded one after the other.
	steps = []int{1, 2, 3, 4, 1, 2}
	// serverSteps are the numbers of the clients' threads: a server that nobody asks is idle.
	serverSteps = []int{0, 1, 2, 3, 4, 1, 2, 0}
)

// limit bounds a test.
func (s *suite) limit() time.Duration {
	return time.Duration(len(serverSteps)+2)*s.step + 2*time.Minute
}

// find is the first of some programs that is installed.
func find(names ...string) (string, error) {
	for _, n := range names {
		if path, err := exec.LookPath(n); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s: %w", strings.Join(names, " or "), errMissing)
}

// scratch is a directory that a program makes for itself.
func (s *suite) scratch(name string) string { return filepath.Join(s.out, "scratch", name) }

// stress loads 1, 2, 3, 4, 1 and 2 CPUs.
func (s *suite) stress(ctx context.Context) (string, error) {
	path, err := find("stress", "stress-ng")
	if err != nil {
		return "", err
	}
	var script strings.Builder
	for _, n := range steps {
		fmt.Fprintf(&script, "%s --cpu %d --timeout %d >&2\n", path, n, int(s.step.Seconds()))
	}
	return s.curve(ctx, "stress", []string{"sh", "-c", script.String()})
}

// media plays a file at its own speed, without a screen and without sound. ffmpeg makes it first,
// of moving patterns; an mpv without ffmpeg makes them while it plays.
func (s *suite) media(ctx context.Context) (string, error) {
	const patterns = "testsrc2=size=1280x720:rate=25"
	player, err := find("mpv", "ffmpeg")
	if err != nil {
		return "", err
	}
	seconds := fmt.Sprint(int(4 * s.step.Seconds()))
	clip := "av://lavfi:" + patterns
	if maker, err := find("ffmpeg"); err == nil {
		clip = s.scratch("clip.mkv")
		ctx, cancel := context.WithTimeout(ctx, s.limit())
		defer cancel()
		text, err := exec.CommandContext(ctx, maker, "-v", "error", "-nostdin", "-y", "-f", "lavfi",
			"-i", patterns, "-t", seconds, "-c:v", "mpeg4", "-q:v", "4", clip).CombinedOutput()
		if err != nil {
			return "", fmt.Errorf("make a clip: %w: %.500s", err, text)
		}
	}
	argv := []string{player, "-v", "error", "-nostdin", "-re", "-i", clip, "-f", "null", "-"}
	if filepath.Base(player) == "mpv" {
		argv = []string{player, "--no-config", "--really-quiet", "--vo=null", "--ao=null",
			"--length=" + seconds, clip}
	}
	return s.curve(ctx, "media", argv)
}

// browser has Chromium work on a page from a file, without a screen.
func (s *suite) browser(ctx context.Context) (string, error) {
	path, err := find("chromium", "chromium-browser")
	if err != nil {
		return "", err
	}
	return s.curve(ctx, "browser", []string{path, "--headless", "--no-sandbox", "--disable-gpu",
		"--user-data-dir=" + s.scratch("browser"), "--dump-dom",
		fmt.Sprintf("file://%s/page.html#%d",
			s.workloads, (4 * s.step).Milliseconds())})
}

// The servers' libraries, by their names in Debian's packages libtomcat10-embed-java,
// libjetty9-java and libservlet-api-java.
var (
	tomcatJars = []string{"tomcat10-embed-core.jar"}
	jettyJars  = []string{"jetty9-server.jar", "jetty9-http.jar", "jetty9-io.jar",
		"jetty9-util.jar", "servlet-api.jar"}
)

func (s *suite) tomcat(ctx context.Context) (string, error) {
	return s.server(ctx, "tomcat", "TomcatServer", tomcatJars, s.scratch("tomcat"))
}

func (s *suite) jetty(ctx context.Context) (string, error) {
	return s.server(ctx, "jetty", "JettyServer", jettyJars)
}

// compile compiles Java programs, with libraries beside them, and returns their class path.
func (s *suite) compile(ctx context.Context, jars []string, names ...string) (string, error) {
	classes := filepath.Join(s.out, "classes")
	path := []string{classes}
	for _, jar := range jars {
		jar = filepath.Join(s.jars, jar)
		if _, err := os.Stat(jar); err != nil {
			return "", fmt.Errorf("%s: %w", jar, errMissing)
		}
		path = append(path, jar)
	}
	javac, err := find("javac")
	if err != nil {
		return "", err
	}
	argv := []string{"-d", classes, "-cp", strings.Join(path, ":")}
	for _, n := range names {
		argv = append(argv, filepath.Join(s.workloads, n+".java"))
	}
	if text, err := exec.CommandContext(ctx, javac, argv...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("compile %s: %w: %.500s", strings.Join(names, ", "), err, text)
	}
	return strings.Join(path, ":"), nil
}

// server has clients request pages of a server on loopback, as many at a time as steps say, and
// draws the server's power.
func (s *suite) server(
	ctx context.Context, name, class string, jars []string, args ...string,
) (string, error) {
	path, err := s.compile(ctx, jars, class, "Page", "Client")
	if err != nil {
		return "", err
	}
	stream := filepath.Join(s.out, name+".jsonl")
	answers, err := s.serve(ctx, stream, nil, path, append([]string{class}, args...), serverSteps)
	if err != nil {
		return "", err
	}
	text, err := s.draw(name, stream)
	return fmt.Sprintf("%s; %d requests", text, answers), err
}

// serve runs a server under ebb with further flags, and clients in steps, and returns the number of
// answers. The server alone is measured; the stream has what it used.
func (s *suite) serve(ctx context.Context, stream string, flags []string, path string,
	server []string, steps []int,
) (answers int, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.limit())
	defer cancel()
	argv := append([]string{"run", "--shadow", "--quiet", "--as-if", "table2", "--interval",
		interval(s.step), "--stream", stream}, flags...)
	c := exec.CommandContext(ctx, s.ebb, append(append(argv, "--", "java", "-cp", path),
		server...)...)
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	c.WaitDelay = 10 * time.Second
	in, err := c.StdinPipe()
	if err != nil {
		return 0, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := c.Start(); err != nil {
		return 0, err
	}
	var port int
	if _, err = fmt.Fscanf(bufio.NewReader(out), "port %d\n", &port); err == nil {
		client := []string{"-cp", path, "Client", fmt.Sprint(port),
			fmt.Sprint(s.step.Milliseconds())}
		for _, n := range steps {
			client = append(client, fmt.Sprint(n))
		}
		var text []byte
		if text, err = exec.CommandContext(ctx, "java", client...).Output(); err == nil {
			answers, err = strconv.Atoi(strings.TrimSpace(string(text)))
		}
	}
	_ = in.Close() // the server's end
	if ended := c.Wait(); err == nil {
		err = ended
	}
	if err != nil {
		return 0, fmt.Errorf("%s: %w", strings.Join(server, " "), err)
	}
	return answers, nil
}
