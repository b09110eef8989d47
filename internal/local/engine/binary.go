package engine

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
)

// runBinary runs "clickhouse server" until stop is closed. The server does not
// watch its standard input, so this process does it for the server.
func runBinary(args childArgs, stop <-chan struct{}) int {
	// The goroutine stays locked to its thread: the parent-death signal belongs to the thread that
	// starts the process, and the process ends with this function.
	runtime.LockOSThread()
	command := exec.Command(args.program.Binary, "server", "--config-file", filepath.Join(args.dir, configFile))
	command.Dir = args.dir
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	command.SysProcAttr = dieWithParent()
	if err := command.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitLoad
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	select {
	case err := <-ended:
		fmt.Fprintf(os.Stderr, "%s ended by itself: %v\n", args.program, err)
		return exitEngine
	case <-stop:
	}
	if err := command.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		fmt.Fprintln(os.Stderr, err)
	}
	<-ended //nolint:errcheck // its end was requested
	return 0
}
