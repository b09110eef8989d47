package engine

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"
)

// childCommand is the hidden first argument that makes an executable the
// engine's child process.
const childCommand = "clickhouse-engine"

// orphanGrace is how long the engine may take for a clean end once its parent
// is gone. A hard end loses nothing either, and the next start waits for the
// directory.
const orphanGrace = time.Second

// orphanPoll is how often a process that is to end looks for its parent.
const orphanPoll = 20 * time.Millisecond

// hooked tells that this executable calls RunIfChild. Without that, starting
// the engine would start the whole program, or the whole test, again.
var hooked atomic.Bool

// RunIfChild must be the first call of main, and of TestMain in packages whose
// tests start the engine. In the engine's child process it runs the engine and
// does not return; in any other process it returns at once.
func RunIfChild() {
	hooked.Store(true)
	if len(os.Args) < 2 || os.Args[1] != childCommand {
		return
	}
	os.Exit(childMain(os.Args[2:]))
}

// childArgs is what the parent tells the child.
type childArgs struct {
	program   Program
	dir       string // holds the configuration; the working directory as well
	parent    int    // process id
	ephemeral bool   // remove dir at the end if the parent is gone
}

func (a childArgs) list() []string {
	return []string{
		childCommand,
		"-library", a.program.Library,
		"-binary", a.program.Binary,
		"-dir", a.dir,
		"-parent", strconv.Itoa(a.parent),
		"-ephemeral=" + strconv.FormatBool(a.ephemeral),
	}
}

func parseChildArgs(list []string) (childArgs, error) {
	var a childArgs
	flags := flag.NewFlagSet(childCommand, flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the error says it
	flags.StringVar(&a.program.Library, "library", "", "")
	flags.StringVar(&a.program.Binary, "binary", "", "")
	flags.StringVar(&a.dir, "dir", "", "")
	flags.IntVar(&a.parent, "parent", 0, "")
	flags.BoolVar(&a.ephemeral, "ephemeral", false, "")
	err := flags.Parse(list)
	return a, err
}

// childMain runs the engine until standard input ends or SIGTERM comes, and
// returns the exit code: 0 after an end that was asked for.
func childMain(list []string) int {
	// The terminal's Ctrl-C and hang-up are the parent's business, which may
	// still have rows to write. A write to a pipe that the dead parent had open
	// must not end the engine in the middle of its shutdown.
	signal.Ignore(syscall.SIGINT, syscall.SIGHUP, syscall.SIGPIPE)
	syscall.Umask(0o077)

	args, err := parseChildArgs(list)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitUsage
	}
	stop, err := watchParent(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitUsage
	}
	var code int
	if args.program.Library != "" {
		code = runLibrary(args, stop)
	} else {
		code = runBinary(args, stop)
	}
	removeOrphaned(args)
	return code
}

// Exit codes of the child, besides 0 and the engine's own.
const (
	exitEngine = 1 // the engine ended by itself
	exitUsage  = 2
	exitLoad   = 3 // the program cannot be loaded; trying again is no use
	exitForced = 4 // asked twice, or orphaned and too slow
)

// watchParent moves the control pipe away from standard input, which the
// engine is going to have for itself, and returns a channel that is closed when
// the engine is to end. A second request, or being an orphan for longer than
// orphanGrace, ends the process on the spot.
func watchParent(args childArgs) (<-chan struct{}, error) {
	fd, err := syscall.Dup(0)
	if err != nil {
		return nil, fmt.Errorf("duplicate the control pipe: %w", err)
	}
	syscall.CloseOnExec(fd)
	control := os.NewFile(uintptr(fd), "control")

	eof := make(chan struct{})
	go func() {
		defer close(eof)
		// Nothing is ever written to it: this returns when it is closed.
		var one [1]byte
		for {
			if _, err := control.Read(one[:]); err != nil {
				return
			}
		}
	}()
	term := make(chan os.Signal, 2)
	signal.Notify(term, syscall.SIGTERM)

	stop := make(chan struct{})
	go func() {
		select {
		case <-eof:
		case <-term:
		}
		close(stop)
		awaitForce(args, term)
		removeOrphaned(args)
		forceExit()
	}()
	return stop, nil
}

// awaitForce returns at a second request, or once the process has been an orphan for
// longer than orphanGrace. The pipe of a parent that was killed is closed before the
// process is an orphan, so its parent is polled.
func awaitForce(args childArgs, term <-chan os.Signal) {
	var late <-chan time.Time
	poll := time.NewTicker(orphanPoll)
	defer poll.Stop()
	for {
		if late == nil && orphaned(args) {
			late = time.After(orphanGrace)
		}
		select {
		case <-term:
			return
		case <-late:
			return
		case <-poll.C:
		}
	}
}

// forceExit ends this process and, where this process is only the keeper of a
// server, the server as well: the parent made them a process group.
func forceExit() {
	if syscall.Getpgrp() == os.Getpid() {
		if err := syscall.Kill(0, syscall.SIGKILL); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	os.Exit(exitForced)
}

func orphaned(args childArgs) bool { return os.Getppid() != args.parent }

// removeTries is how often the removal of a directory is tried.
const removeTries = 50

// removeOrphaned clears up a directory that was to be thrown away and that the
// dead parent can no longer remove.
func removeOrphaned(args childArgs) {
	if !args.ephemeral || !orphaned(args) {
		return
	}
	var err error
	for range removeTries {
		if err = os.RemoveAll(args.dir); err == nil {
			return
		}
		time.Sleep(orphanPoll) // the engine still writes files there
	}
	fmt.Fprintln(os.Stderr, err)
}
