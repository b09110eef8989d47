package engine

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// process is one run of the child.
type process struct {
	command *exec.Cmd
	control io.Closer     // the child's standard input; closing it requests the child's end
	output  *tail         // the end of its standard error
	done    chan struct{} // closed when the child has ended
	err     error         // why it ended; set before done is closed
}

// spawn starts the child, without a terminal and in its own process group, so that Ctrl-C reaches
// only the parent and the engine keeps running while the parent flushes its data.
func spawn(args childArgs) (*process, error) {
	executable, err := selfExecutable()
	if err != nil {
		return nil, fmt.Errorf("find the running executable: %w", err)
	}
	p := &process{output: new(tail), done: make(chan struct{})}
	p.command = exec.Command(executable, args.list()...)
	p.command.Dir = args.dir
	p.command.Env = append(os.Environ(), "TERM=dumb", "HOME="+args.dir)
	p.command.Stderr = p.output
	p.command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	// A process that the child has started may keep the child's standard error open.
	p.command.WaitDelay = time.Second
	if p.control, err = p.command.StdinPipe(); err != nil {
		return nil, fmt.Errorf("control pipe: %w", err)
	}
	if err := p.command.Start(); err != nil {
		p.control.Close()
		return nil, fmt.Errorf("start the engine's process: %w", err)
	}
	go func() {
		defer close(p.done)
		p.err = p.command.Wait()
	}()
	return p, nil
}

// reason returns why a process ended. It must be called after done is closed.
func (p *process) reason() error {
	err := p.err
	if err == nil {
		err = errors.New("it ended by itself")
	}
	if said := p.output.summary(); said != "" {
		return fmt.Errorf("%w: %s", err, said)
	}
	return err
}

// cannotLoad reports whether restarting the same program cannot succeed. It must be called after
// done is closed.
func (p *process) cannotLoad() bool {
	code := p.command.ProcessState.ExitCode()
	return code == exitLoad || code == exitUsage
}

// end requests the child's end with increasingly strong signals, and returns when the child has
// ended: before by, unless the kernel delays a kill.
func (p *process) end(by time.Time) error {
	p.control.Close()
	limit := time.Until(by)
	for _, step := range []struct {
		after  time.Duration
		signal syscall.Signal
	}{
		{limit * 6 / 10, syscall.SIGTERM},
		{limit * 2 / 10, syscall.SIGKILL},
	} {
		select {
		case <-p.done:
			return nil
		case <-time.After(step.after):
		}
		// Signal the group, which contains a server that the child runs.
		if err := syscall.Kill(-p.command.Process.Pid, step.signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("end the engine's process %d: %w", p.command.Process.Pid, err)
		}
	}
	<-p.done
	return nil
}
