//go:build !nolibrary

package engine

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/ebitengine/purego"
)

// pseudoTerminal makes a new pseudo-terminal the standard input of this process
// and returns the descriptor of its other end, or -1 with an error. Closing
// that descriptor ends the input.
//
// clickhouse-local checks whether its standard input is a terminal. If not, it runs as a script and
// aborts the process when an exception leaves any of its threads, such as the thread of a
// connection with a wrong password. With a terminal such an exception ends only that connection.
// The terminal is never the controlling terminal of this process: the process leads a session
// without one, and O_NOCTTY prevents acquiring one.
func pseudoTerminal() (int, error) {
	var (
		openpt  func(flags int32) int32
		grant   func(fd int32) int32
		unlock  func(fd int32) int32
		name    func(fd int32) string
		dup2    func(from, to int32) int32
		symbols = map[string]any{
			"posix_openpt": &openpt, "grantpt": &grant, "unlockpt": &unlock,
			"ptsname": &name, "dup2": &dup2,
		}
	)
	// The C library has one interface for Linux and macOS; their system calls
	// differ.
	for symbol, function := range symbols {
		if _, err := purego.Dlsym(purego.RTLD_DEFAULT, symbol); err != nil {
			return -1, fmt.Errorf("the C library: %w", err)
		}
		purego.RegisterLibFunc(function, purego.RTLD_DEFAULT, symbol)
	}
	other := openpt(syscall.O_RDWR | syscall.O_NOCTTY)
	if other < 0 {
		return -1, errors.New("posix_openpt failed")
	}
	syscall.CloseOnExec(int(other))
	if grant(other) != 0 || unlock(other) != 0 {
		syscall.Close(int(other))
		return -1, errors.New("unlockpt failed")
	}
	path := name(other)
	terminal, err := syscall.Open(path, syscall.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		syscall.Close(int(other))
		return -1, fmt.Errorf("open %s: %w", path, err)
	}
	defer syscall.Close(terminal)
	if dup2(int32(terminal), 0) != 0 {
		syscall.Close(int(other))
		return -1, errors.New("dup2 failed")
	}
	return int(other), nil
}
