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

// passedOn are the signals that a command is to see. What a shell does with
// SIGTSTP and SIGCONT it does with the command as well.
var passedOn = []os.Signal{
	syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2,
}

// killAfter is how long a command that was told to end because ctx did has left.
const killAfter = 10 * time.Second

// conduct passes signals on, and the end of ctx, until stop is called. Once the
// command has ended they end the wait for its output and for its recording.
func (r *running) conduct(ctx context.Context, giveUp func(error)) (stop func()) {
	signals := make(chan os.Signal, 16)
	// SIGPIPE is taken as well, or writing to a reader that is gone would end
	// this process before the command could learn of it.
	signal.Notify(signals, append([]os.Signal{syscall.SIGPIPE}, passedOn...)...)
	over := make(chan struct{})
	var ended sync.WaitGroup
	ended.Go(func() {
		told := ctx.Done()
		var kill <-chan time.Time
		for {
			select {
			case s := <-signals:
				r.signal(s.(syscall.Signal), giveUp)
			case <-told:
				told = nil
				kill = time.After(killAfter)
				r.signal(syscall.SIGTERM, giveUp)
			case <-kill:
				_ = r.cmd.Process.Kill() // it may have ended this moment
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

func (r *running) signal(s syscall.Signal, giveUp func(error)) {
	fromKeyboard := (s == syscall.SIGINT || s == syscall.SIGQUIT) && inForeground()
	switch {
	case s == syscall.SIGPIPE: // writing told of it as well
	case !closed(r.exited):
		if !fromKeyboard {
			_ = r.cmd.Process.Signal(s) // it may have ended this moment
		}
	case !closed(r.passed):
		r.output.Close()
	default:
		giveUp(fmt.Errorf("ended by a signal: %v", s))
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

// inForeground reports whether this process belongs to those that the keyboard
// of its terminal speaks to.
func inForeground() bool {
	terminal, err := os.Open("/dev/tty")
	if err != nil {
		return false // there is none
	}
	defer terminal.Close()
	group, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}
