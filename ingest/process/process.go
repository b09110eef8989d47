// Package process records what a command prints on its standard output, which
// is passed on as if nobody listened.
package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/copier"
	"tapedeck/ingest/dialect/dialects"
)

// Options say what to run. The zero value of a field stands for its default.
type Options struct {
	Command    []string // its name and its arguments
	FrameLimit int      // bytes; default ingest.DefaultFrameLimit
	// Buffer bounds the output that waits for a recorder which pushes back,
	// bytes; default 64 MiB.
	Buffer int
	// The command's own; default those of this process. Stdin and Stderr are
	// the command's untouched.
	Stdin, Stderr *os.File
	Stdout        io.Writer
	Log           *slog.Logger
}

// Result is what became of a command and of its recording.
type Result struct {
	ingest.Summary
	// ExitCode is the command's, as a shell gives it: 128 and the number of the
	// signal that ended it, 127 if it was not found, 126 if it could not be run.
	ExitCode int
	Output   int64 // bytes it printed
	Recorded int64 // bytes of them that are durable, from the first on
}

// Record runs a command and records its standard output. NDJSON or SSE is told
// from the output.
//
// The command comes first. Every chunk of its output is passed on at once, as it
// was read. A recorder that pushes back does not hold it up: its output waits in
// memory, and once Buffer is full the recording ends there, while the command
// goes on. So a recording that could not be finished is whole up to a point, and
// the error says up to where; there is never a gap in it. The same holds when
// frames cannot be recorded at all.
//
// If nobody reads the output any more, the command learns of it by its next
// write, as it would without us. A program that it left behind with its output
// open is waited for, as in any pipeline.
//
// SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1 and SIGUSR2 are passed on to the
// command. A SIGINT or SIGQUIT while this process is in the foreground of a
// terminal is taken to come from its keyboard, which sends it to the command as
// well, so it is not sent twice. Once the command has ended, any of them ends
// the wait for what it left behind, and the next the wait for its recording. If ctx ends, the command is sent SIGTERM, and
// SIGKILL ten seconds later.
//
// The stream ends with "eof" if the exit code is 0, otherwise with "error: …".
// Options that cannot be are an error before the command is started. The result
// is valid also if there is an error.
func Record(ctx context.Context, rec *ingest.Recorder, so ingest.StreamOptions, opts Options) (Result, error) {
	if len(opts.Command) == 0 {
		return Result{ExitCode: notFound}, errors.New("no command to run")
	}
	opts = opts.withDefaults()
	if so.Source == "" {
		so.Source = strings.Join(opts.Command, " ")
	}
	if err := check(so); err != nil {
		return Result{ExitCode: notRun}, err
	}
	run, err := start(opts)
	if err != nil {
		return Result{ExitCode: startCode(err)}, err
	}
	r := newRecording(rec, so, opts)
	stop := run.conduct(ctx, r.giveUp)
	defer stop()
	recorded := make(chan error, 1)
	go func() { recorded <- r.run(run) }()

	passErr := run.pass(opts.Stdout, r.waiting)
	r.waiting.end()
	<-run.exited
	timeout := time.AfterFunc(copier.CloseTimeout, func() {
		r.giveUp(fmt.Errorf("not done within %v of the command's end", copier.CloseTimeout))
	})
	defer timeout.Stop()
	err = <-recorded
	result := Result{Summary: r.summary, ExitCode: run.code(), Output: r.waiting.total()}
	_, result.Recorded = r.offsets.Get()
	if err != nil {
		err = fmt.Errorf("the output of %s was passed on, but only the first %d of its %d bytes are recorded: %w",
			opts.Command[0], result.Recorded, result.Output, err)
	}
	return result, errors.Join(passErr, err)
}

func (o Options) withDefaults() Options {
	if o.Buffer == 0 {
		o.Buffer = 64 << 20
	}
	if o.Stdin == nil {
		o.Stdin = os.Stdin
	}
	if o.Stdout == nil {
		o.Stdout = os.Stdout
	}
	if o.Stderr == nil {
		o.Stderr = os.Stderr
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// check finds what would be wrong with the stream before the command runs.
func check(so ingest.StreamOptions) error {
	if so.Tenant != "" {
		if err := ingest.CheckTenant(so.Tenant); err != nil {
			return err
		}
	}
	if so.Session != "" {
		if err := ingest.CheckSession(so.Session); err != nil {
			return err
		}
	}
	if so.Dialect != "" {
		if _, err := dialects.ByName(so.Dialect); err != nil {
			return err
		}
	}
	return nil
}

const (
	notRun   = 126
	notFound = 127
)

func startCode(err error) int {
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
		return notFound
	}
	return notRun
}

// running is a command that was started.
type running struct {
	cmd    *exec.Cmd
	output *os.File
	exited chan struct{} // closed once it has ended; cmd.ProcessState is set then
	passed chan struct{} // closed once its output has ended
}

func start(opts Options) (*running, error) {
	from, to, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", opts.Command[0], err)
	}
	cmd := exec.Command(opts.Command[0], opts.Command[1:]...)
	// Files, not readers and writers: so they are the command's own.
	cmd.Stdin, cmd.Stdout, cmd.Stderr = opts.Stdin, to, opts.Stderr
	err = cmd.Start()
	to.Close()
	if err != nil {
		from.Close()
		return nil, fmt.Errorf("run %s: %w", opts.Command[0], err)
	}
	run := &running{cmd: cmd, output: from, exited: make(chan struct{}), passed: make(chan struct{})}
	go func() {
		_ = cmd.Wait() // what there is to say is in cmd.ProcessState
		close(run.exited)
	}()
	return run, nil
}

// chunkSize is how much is read at a time, bytes: what a pipe holds.
const chunkSize = 64 << 10

// pass passes the output on, up to its end.
func (r *running) pass(to io.Writer, waiting *backlog) error {
	defer close(r.passed)
	defer r.output.Close()
	buf := make([]byte, chunkSize)
	for {
		n, err := r.output.Read(buf)
		if n > 0 {
			waiting.put(buf[:n], ingest.Now())
			if _, err := to.Write(buf[:n]); err != nil {
				if errors.Is(err, syscall.EPIPE) {
					return nil // as a pipeline ends whose reader has seen enough
				}
				return fmt.Errorf("pass on the output: %w", err)
			}
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, os.ErrClosed):
			return nil
		case err != nil:
			return fmt.Errorf("read the output: %w", err)
		}
	}
}

// code is the exit code, as a shell has it.
func (r *running) code() int {
	status, ok := r.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return r.cmd.ProcessState.ExitCode()
}

// reason is how the stream's end reads.
func (r *running) reason() string {
	if r.cmd.ProcessState.Success() {
		return "eof"
	}
	return "error: " + r.cmd.ProcessState.String()
}
