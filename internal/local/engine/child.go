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

// childCommand is the hidden first argument with which an executable runs as the engine's child
// process.
const childCommand = "clickhouse-engine"

// orphanGrace bounds a clean shutdown of the engine after its parent has ended. A kill loses no
// data either, and the next start waits for the directory.
const orphanGrace = time.Second

// orphanPoll is the interval at which an ending process checks its parent.
const orphanPoll = 20 * time.Millisecond

// hooked is set by RunIfChild. If the executable does not call it, starting
// the engine would run the whole program, or the whole test, again.
var hooked atomic.Bool

// RunIfChild must be the first call of main, and of TestMain in packages whose tests start the
// engine. In the engine's child process it runs the engine and does not return; in any other
// process it returns at once.
func RunIfChild() {
	hooked.Store(true)
	if len(os.Args) < 2 || os.Args[1] != childCommand {
		return
	}
	os.Exit(childMain(os.Args[2:]))
}

// childArgs are the arguments that the parent passes to the child.
type childArgs struct {
	program   Program
	dir       string // directory of the configuration, and working directory
	parent    int    // process id
	ephemeral bool   // remove dir at the end if the parent has ended
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
	flags.SetOutput(io.Discard) // the error contains the message
	flags.StringVar(&a.program.Library, "library", "", "")
	flags.StringVar(&a.program.Binary, "binary", "", "")
	flags.StringVar(&a.dir, "dir", "", "")
	flags.IntVar(&a.parent, "parent", 0, "")
	flags.BoolVar(&a.ephemeral, "ephemeral", false, "")
	err := flags.Parse(list)
	return a, err
}

// childMain runs the engine until standard input ends or SIGTERM arrives, and returns the exit
// code: 0 after a requested end.
func childMain(list []string) int {
	// The parent handles the terminal's Ctrl-C and hang-up, since it may still have rows to write.
	// A write to a pipe of the dead parent must not end the engine during its shutdown.
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

// Exit codes of the child besides 0 and the engine's own codes.
const (
	exitEngine = 1 // the engine ended unexpectedly
	exitUsage  = 2
	exitLoad   = 3 // the program cannot be loaded; a retry cannot succeed
	exitForced = 4 // requested twice, or orphaned and too slow
)

// watchParent moves the control pipe away from standard input, which the engine needs, and returns
// a channel that is closed when the engine must end. A second request ends the process immediately,
// and so does being an orphan for longer than orphanGrace.
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
		// The parent never writes to it: the read returns when the pipe is closed.
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

// awaitForce returns at a second request, or after the process has been an orphan for longer than
// orphanGrace. The pipe of a killed parent is closed before the process becomes an orphan, so
// awaitForce polls the parent.
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

// forceExit kills this process and, if it runs a server binary, the server: both are in one process
// group.
func forceExit() {
	if syscall.Getpgrp() == os.Getpid() {
		if err := syscall.Kill(0, syscall.SIGKILL); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	os.Exit(exitForced)
}

func orphaned(args childArgs) bool { return os.Getppid() != args.parent }

// removeTries is the number of attempts to remove a directory.
const removeTries = 50

// removeOrphaned removes an ephemeral directory that the dead parent can no longer remove.
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
