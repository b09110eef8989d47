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
	err  error         // how; read it after done
}

const (
	startLimit = 30 * time.Second
	stopLimit  = 30 * time.Second
)

// start runs the program. Its state goes under dir; env is added to this
// process's environment.
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
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(20 * time.Millisecond):
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

// wait waits for the end of a command that ends by itself.
func (c *command) wait(ctx context.Context) error {
	select {
	case <-c.done:
		return c.failure()
	case <-ctx.Done():
		return errors.Join(context.Cause(ctx), c.stop())
	}
}

// failure returns the error of a process that ended with a failure, else nil.
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
	killer := time.AfterFunc(stopLimit, func() { _ = c.cmd.Process.Kill() }) // it may have ended by then
	defer killer.Stop()
	<-c.done
	return c.failure()
}

// cpu returns the CPU time of a process that has ended.
func (c *command) cpu() time.Duration {
	return c.cmd.ProcessState.UserTime() + c.cmd.ProcessState.SystemTime()
}

// get asks a server's API.
func (c *command) get(ctx context.Context, path string, v any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+path, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("GET %s: %s: %s", path, resp.Status, body)
	}
	return json.Unmarshal(body, v)
}
