package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"tapedeck/internal/syncbuffer"
)

// command is the tapedeck program, running as a separate process.
type command struct {
	url  string // its address; "" for commands that are not servers
	cmd  *exec.Cmd
	log  *syncbuffer.Output
	done chan struct{} // closed when it ended
	err  error         // error of the process; set before done is closed
}

// Limits of waits for a process. They end a process that hangs, and are not targets: the machine
// may be busy.
const (
	startLimit = 2 * time.Minute
	stopLimit  = time.Minute
)

// start starts the program. Its state is stored under dir; env is added to this process's
// environment.
func start(program, dir string, env []string, stdin io.Reader, stdout io.Writer, args ...string) (*command, error) {
	c := &command{cmd: exec.Command(program, args...), log: &syncbuffer.Output{}, done: make(chan struct{})}
	c.cmd.Env = append(append(os.Environ(), "XDG_STATE_HOME="+dir), env...)
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = stdin, stdout, c.log
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s %s: %w", program, args[0], err)
	}
	go func() {
		c.err = c.cmd.Wait()
		close(c.done)
	}()
	return c, nil
}

var (
	// serverSays matches the line of a server's log with its address.
	serverSays = regexp.MustCompile(`"url":"(http://[^"]+)"`)
	// proxySays matches the line that the proxy prints.
	proxySays = regexp.MustCompile(`(http://\S+) records what passes`)
)

// startServer runs a server and waits until it is ready. The server must log as JSON.
func startServer(ctx context.Context, program, dir string, env []string, args ...string) (*command, error) {
	c, err := start(program, dir, env, nil, nil, append(args, "--log-format", "json", "--log-level", "info")...)
	if err != nil {
		return nil, err
	}
	err = c.answers(ctx, serverSays, func() bool {
		resp, err := http.Get(c.url + "/readyz")
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	if err != nil {
		return nil, errors.Join(err, c.stop())
	}
	return c, nil
}

// serveRole starts `tapedeck serve` with roles. Its data goes under dir.
func serveRole(ctx context.Context, program, dir string, env []string, roles string, flags ...string) (*command, error) {
	return startServer(ctx, program, dir, env, append([]string{"serve", "--role", roles, "--listen",
		"127.0.0.1:0", "--data", filepath.Join(dir, roles)}, flags...)...)
}

// answers waits until the process has printed its address and is ready.
func (c *command) answers(ctx context.Context, says *regexp.Regexp, ready func() bool) error {
	for end := time.Now().Add(startLimit); time.Now().Before(end); {
		if c.url == "" {
			if m := says.FindStringSubmatch(c.log.String()); m != nil {
				c.url = m[1]
			}
		}
		if c.url != "" && ready() {
			return nil
		}
		select {
		case <-c.done:
			return c.failure()
		default:
		}
		if err := pause(ctx, 20*time.Millisecond); err != nil {
			return err
		}
	}
	return fmt.Errorf("tapedeck %s was not ready within %v: %s", c.cmd.Args[1], startLimit, c.log)
}

// errors returns the first line of each error that the process logged, by its message.
func (c *command) errors() (lines []string) {
	seen := map[string]bool{}
	for line := range strings.Lines(c.log.String()) {
		var entry struct{ Level, Msg string }
		if json.Unmarshal([]byte(line), &entry) == nil && entry.Level == slog.LevelError.String() && !seen[entry.Msg] {
			seen[entry.Msg] = true
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

func (c *command) pid() int { return c.cmd.Process.Pid }

// wait waits until a command ends.
func (c *command) wait(ctx context.Context) error {
	select {
	case <-c.done:
		return c.failure()
	case <-ctx.Done():
		return errors.Join(context.Cause(ctx), c.stop())
	}
}

// failure returns the error of a process that has failed, otherwise nil.
func (c *command) failure() error {
	if c.err == nil {
		return nil
	}
	return fmt.Errorf("tapedeck %s failed: %w: %s", c.cmd.Args[1], c.err, c.log)
}

// stop ends the process if it is running. c may be nil.
func (c *command) stop() error {
	if c == nil {
		return nil
	}
	select {
	case <-c.done:
		return nil
	default:
	}
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop tapedeck %s: %w", c.cmd.Args[1], err)
	}
	killer := time.AfterFunc(stopLimit, func() { _ = c.cmd.Process.Kill() }) // it may have ended at this moment
	defer killer.Stop()
	<-c.done
	return c.failure()
}

// cpu returns the CPU time of a process that has ended.
func (c *command) cpu() time.Duration {
	return c.cmd.ProcessState.UserTime() + c.cmd.ProcessState.SystemTime()
}

// get requests a path of a server's API and decodes the answer.
func (c *command) get(ctx context.Context, path string, v any) error {
	body, err := c.read(ctx, path)
	if err != nil {
		return err
	}
	return json.Unmarshal(body, v)
}

// read requests a path of a server and returns the whole answer.
func (c *command) read(ctx context.Context, path string) ([]byte, error) {
	res, err := get(ctx, http.DefaultClient, c.url+path, "")
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	return io.ReadAll(res.Body)
}

// statusError is an answer with a status other than 200.
type statusError struct {
	path   string
	status int
	text   string
}

func (e *statusError) Error() string {
	return fmt.Sprintf("GET %s: %d %s: %s", e.path, e.status, http.StatusText(e.status), e.text)
}

// get requests a URL and returns the answer, whose body the caller closes. accept is the requested
// media type; "" for any. A status other than 200 is a *statusError.
func get(ctx context.Context, client *http.Client, url, accept string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	if accept != "" {
		req.Header.Set("Accept", accept)
	}
	res, err := client.Do(req)
	if err != nil || res.StatusCode == http.StatusOK {
		return res, err
	}
	defer res.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(res.Body, 512)) // for the message
	return nil, &statusError{req.URL.RequestURI(), res.StatusCode, string(text)}
}

// pause waits for a duration, or until ctx ends, in which case it returns an error.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
