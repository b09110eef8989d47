package process

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// forwardedSignals are the signals that are forwarded to the command. A shell stops and
// continues the command itself with SIGTSTP and SIGCONT.
var forwardedSignals = []os.Signal{
	syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2,
}

// killAfter is the time between SIGTERM and SIGKILL after ctx has ended.
const killAfter = 10 * time.Second

// forwardSignals forwards signals, and the end of ctx, until stop is called. Once the command has
// ended, signals end the wait for its output and then for its recording.
func (r *running) forwardSignals(ctx context.Context, cancel func(error)) (stop func()) {
	signals := make(chan os.Signal, 16)
	// SIGPIPE is caught as well. Otherwise writing to a closed reader would end this process before
	// the command's next write fails.
	signal.Notify(signals, append([]os.Signal{syscall.SIGPIPE}, forwardedSignals...)...)
	over := make(chan struct{})
	var ended sync.WaitGroup
	ended.Go(func() {
		ctxDone := ctx.Done()
		var kill <-chan time.Time
		for {
			select {
			case s := <-signals:
				r.signal(s.(syscall.Signal), cancel)
			case <-ctxDone:
				ctxDone = nil
				kill = time.After(killAfter)
				r.signal(syscall.SIGTERM, cancel)
			case <-kill:
				_ = r.cmd.Process.Kill() // it may have ended at this moment
			case <-over:
				return
			}
		}
	})
	return func() {
		signal.Stop(signals)
		close(over)
		ended.Wait()
	}
}

func (r *running) signal(s syscall.Signal, cancel func(error)) {
	fromKeyboard := (s == syscall.SIGINT || s == syscall.SIGQUIT) && inForeground()
	switch {
	case s == syscall.SIGPIPE: // the write has failed as well
	case !closed(r.exited):
		if !fromKeyboard {
			_ = r.cmd.Process.Signal(s) // it may have ended at this moment
		}
	case !closed(r.forwarded):
		r.output.Close()
	default:
		cancel(fmt.Errorf("ended by a signal: %v", s))
	}
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// inForeground reports whether this process is in the foreground process group of its
// terminal.
func inForeground() bool {
	terminal, err := os.Open("/dev/tty")
	if err != nil {
		return false // there is no terminal
	}
	defer terminal.Close()
	group, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}
