// Package background starts processes that go on after the command, and after the program that ran the command.
package background

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// logLimit is the size in bytes from which a log begins anew.
const logLimit = 1 << 20

// Start starts the program with variables of its own beside the environment, and args. It has a session of its own, so that it goes on when an agent ends the
// processes of its session. Its output is appended to the file log.
func Start(log, program string, variables, args []string) error {
	out, err := open(log)
	if err != nil {
		return err
	}
	defer out.Close()
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), variables...)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", program, err)
	}
	return cmd.Process.Release()
}

// Log appends a line to the file log.
func Log(log, line string) error {
	out, err := open(log)
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, line+"\n")
	return errors.Join(err, out.Close())
}

// open opens a log for appending.
func open(log string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(log), 0o700); err != nil {
		return nil, err
	}
	flags := os.O_WRONLY | os.O_CREATE | os.O_APPEND
	if info, err := os.Stat(log); err == nil && info.Size() > logLimit {
		flags |= os.O_TRUNC
	}
	return os.OpenFile(log, flags, 0o600)
}
