package process

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// openTerminal returns a pseudo-terminal in raw mode: what the command writes to the second file is
// read from the first one, byte for byte. It is as large as the terminal of this process, if this
// process has one.
func openTerminal() (from, to *os.File, err error) {
	master, to, err := pty.Open()
	if err != nil {
		return nil, nil, err
	}
	defer master.Close()
	if _, err := term.MakeRaw(int(to.Fd())); err != nil { // without it "\n" would become "\r\n"
		return nil, nil, errors.Join(err, to.Close())
	}
	for _, f := range []*os.File{os.Stderr, os.Stdout, os.Stdin} {
		if size, err := pty.GetsizeFull(f); err == nil {
			_ = pty.Setsize(to, size) // the size matters to what the command draws only
			break
		}
	}
	// The package uses the file in blocking mode, in which Close waits for a Read.
	fd, err := unix.FcntlInt(master.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err == nil {
		err = unix.SetNonblock(fd, true)
	}
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("a pseudo-terminal: %w", err), to.Close())
	}
	return os.NewFile(uintptr(fd), master.Name()), to, nil
}

// closedTerminal reports whether a Read failed since no process has the terminal open any more.
func closedTerminal(err error) bool { return errors.Is(err, syscall.EIO) }
