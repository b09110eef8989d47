// Package process records the standard output of a command, and forwards it unchanged.
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
	"tapedeck/ingest/dialect/dialects"
	"tapedeck/ingest/redact"
	"tapedeck/ingest/tap/copier"
	"tapedeck/schema"
)

// Options configure the command. The zero value of a field means its default.
type Options struct {
	Command    []string // the name and the arguments
	FrameLimit int      // bytes; default ingest.DefaultFrameLimit
	// Buffer bounds the output that waits under backpressure from the recorder, bytes;
	// default 64 MiB.
	Buffer int
	// Stdin, Stdout and Stderr are the standard streams of the command; default: this process's.
	// Stderr is passed to the command directly, and so is Stdin without TwoWay.
	Stdin, Stderr *os.File
	Stdout        io.Writer
	Log           *slog.Logger
	// Terminal gives the command a pseudo-terminal as its standard output in place of a pipe. Many
	// programs write each line to a terminal at once, and hold lines back for a pipe.
	Terminal bool
	// TwoWay also records Stdin, as frames of the direction schema.Send: messages of a client to the
	// command. Both directions are lines, and Stdin is forwarded through a pipe.
	TwoWay bool
}

// Result describes the end of a command and of its recording.
type Result struct {
	ingest.Summary
	// ExitCode is the exit code as a shell reports it: 128 plus the number of the signal
	// that ended the command, 127 if it was not found, 126 if it could not be run.
	ExitCode int
	Signal   string // name of the signal that ended the command ("killed"), "" for none
	Output   int64  // bytes of output
	Recorded int64  // bytes from the output's beginning that are durable
}

// Record runs a command and records its standard output. The output determines whether it
// is NDJSON or SSE.
//
// Forwarding has priority over recording. Every chunk of the output is forwarded at once, as it was
// read. Backpressure from the recorder does not delay it: the output waits in memory, and once
// Buffer is full the recording ends, while the command continues. So a recording is complete up to
// the point that the error names, and never has a gap. The same holds when frames cannot be
// recorded at all.
//
// If the reader of the output has closed it, the next write of the command fails, as it would
// without tapedeck. Like a shell pipeline, Record waits for background processes of the command
// that still have the output open.
//
// SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1 and SIGUSR2 are forwarded to the command. A
// SIGINT or SIGQUIT while this process is in the foreground of a terminal is assumed to
// come from its keyboard, which sends it to the command as well, so it is not forwarded.
// Once the command has ended, the first signal ends the wait for its background processes,
// and the next the wait for its recording. If ctx ends, the command receives SIGTERM, and
// SIGKILL ten seconds later.
//
// The stream ends with "eof" if the exit code is 0, otherwise with "error: …". Invalid
// options are an error before the command is started. The result is valid even if there is
// an error.
func Record(ctx context.Context, rec *ingest.Recorder, so ingest.StreamOptions, opts Options) (Result, error) {
	if len(opts.Command) == 0 {
		return Result{ExitCode: notFound}, errors.New("no command to run")
	}
	opts = opts.withDefaults()
	if so.Source == "" {
		so.Source = strings.Join(redact.NewByName(nil, nil, !rec.Redacts()).Arguments(opts.Command), " ")
	}
	if err := check(so); err != nil {
		return Result{ExitCode: notRun}, err
	}
	run, err := start(opts)
	if err != nil {
		return Result{ExitCode: startCode(err)}, err
	}
	r := newRecording(rec, so, opts)
	stop := run.forwardSignals(ctx, r.cancel)
	defer stop()
	recorded := make(chan error, 1)
	go func() { recorded <- r.run(run) }()
	if opts.TwoWay {
		go run.forwardInput(opts.Stdin, r.waiting)
	}

	passErr := run.forward(opts.Stdout, r.waiting)
	r.waiting.end()
	<-run.exited
	timeout := time.AfterFunc(copier.CloseTimeout, func() {
		r.cancel(fmt.Errorf("not done within %v of the command's end", copier.CloseTimeout))
	})
	defer timeout.Stop()
	err = <-recorded
	result := Result{Summary: r.summary, ExitCode: run.code(), Signal: run.endSignal(), Output: r.waiting.total()}
	_, result.Recorded = r.offsets.Get()
	if err != nil {
		err = fmt.Errorf("the output of %s was forwarded, but only the first %d of its %d bytes are recorded: %w",
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

// check checks the stream options before the command runs.
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
	cmd       *exec.Cmd
	input     *os.File // the writing end of the command's standard input; nil if it is not recorded
	output    *os.File
	exited    chan struct{} // closed once it has ended; cmd.ProcessState is set then
	forwarded chan struct{} // closed once its output has ended
}

func start(opts Options) (*running, error) {
	open := os.Pipe
	if opts.Terminal {
		open = openTerminal
	}
	from, to, err := open()
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", opts.Command[0], err)
	}
	cmd := exec.Command(opts.Command[0], opts.Command[1:]...)
	// Files, not readers and writers, so that the command inherits them.
	cmd.Stdin, cmd.Stdout, cmd.Stderr = opts.Stdin, to, opts.Stderr
	var input *os.File
	if opts.TwoWay {
		if cmd.Stdin, input, err = inputPipe(); err != nil {
			return nil, errors.Join(fmt.Errorf("run %s: %w", opts.Command[0], err), from.Close(), to.Close())
		}
	}
	err = cmd.Start()
	to.Close()
	if opts.TwoWay {
		cmd.Stdin.(*os.File).Close()
	}
	if err != nil {
		from.Close()
		if input != nil {
			input.Close()
		}
		return nil, fmt.Errorf("run %s: %w", opts.Command[0], err)
	}
	run := &running{cmd: cmd, input: input, output: from, exited: make(chan struct{}), forwarded: make(chan struct{})}
	go func() {
		_ = cmd.Wait() // cmd.ProcessState has the result
		close(run.exited)
	}()
	return run, nil
}

// chunkSize bounds one read, bytes: the capacity of a pipe.
const chunkSize = 64 << 10

// forward forwards the output, up to its end.
func (r *running) forward(to io.Writer, waiting *backlog) error {
	defer close(r.forwarded)
	defer r.output.Close()
	buf := make([]byte, chunkSize)
	for {
		n, err := r.output.Read(buf)
		if n > 0 {
			waiting.add(buf[:n], ingest.Now(), schema.Receive)
			if _, err := to.Write(buf[:n]); err != nil {
				if errors.Is(err, syscall.EPIPE) {
					return nil // a pipeline ends in the same way when its reader has closed it
				}
				return fmt.Errorf("forward the output: %w", err)
			}
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, os.ErrClosed), closedTerminal(err):
			return nil
		case err != nil:
			return fmt.Errorf("read the output: %w", err)
		}
	}
}

// code returns the exit code, as a shell reports it.
func (r *running) code() int {
	status, ok := r.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return r.cmd.ProcessState.ExitCode()
}

// endSignal returns the name of the signal that ended the command, "" for none.
func (r *running) endSignal() string {
	if status, ok := r.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return status.Signal().String()
	}
	return ""
}

// reason returns the stream's end reason.
func (r *running) reason() string {
	if r.cmd.ProcessState.Success() {
		return "eof"
	}
	return "error: " + r.cmd.ProcessState.String()
}
