package agenthooks

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// logLimit is the size in bytes from which the log of hooks begins anew.
const logLimit = 1 << 20

// Start starts the program with args in the background. It goes on after the agent has ended, which
// ends the processes of its session. Its output is appended to the log in dir.
func Start(dir, program string, args []string) error {
	log, err := openLog(dir)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(program, args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", program, err)
	}
	return cmd.Process.Release()
}

// LogPath returns the path of the log of hooks in the folder for the state of the commands.
func LogPath(dir string) string { return filepath.Join(dir, "hooks.log") }

// openLog opens the log for appending.
func openLog(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	flags := os.O_WRONLY | os.O_CREATE | os.O_APPEND
	if info, err := os.Stat(LogPath(dir)); err == nil && info.Size() > logLimit {
		flags |= os.O_TRUNC
	}
	return os.OpenFile(LogPath(dir), flags, 0o600)
}

// Log appends a line to the log.
func Log(dir, line string) error {
	log, err := openLog(dir)
	if err != nil {
		return err
	}
	_, err = io.WriteString(log, line+"\n")
	return errors.Join(err, log.Close())
}
