package systemd

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"

	"github.com/coreos/go-systemd/v22/activation"
)

// Environment variables of socket activation: sd_listen_fds(3).
const (
	socketsPIDEnv = "LISTEN_PID"
	socketsEnv    = "LISTEN_FDS"
)

// Listener returns the TCP socket that the service manager has opened for this process; nil if
// there is none. It removes the variables from the environment.
func Listener() (net.Listener, error) {
	pid, count := os.Getenv(socketsPIDEnv), os.Getenv(socketsEnv)
	if pid != strconv.Itoa(os.Getpid()) || count == "" {
		return nil, nil // the variables are for another process
	}
	// activation.Files ignores such a number; the server would then open a socket of its own
	// without notice.
	if n, err := strconv.Atoi(count); err != nil || n < 0 {
		return nil, fmt.Errorf("%s=%s: it must be a number of sockets", socketsEnv, count)
	}
	files := activation.Files(true)
	switch len(files) {
	case 0:
		return nil, nil
	case 1:
		return listener(files[0])
	}
	return nil, fmt.Errorf("the service manager passed %d sockets and one can be served: leave one ListenStream= in the socket unit", len(files))
}

// listener returns the listener of a file, and closes the file.
func listener(f *os.File) (net.Listener, error) {
	l, err := net.FileListener(f) // uses a duplicate of the file
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("take over the socket of the service manager: %w", err)
	}
	if _, ok := l.Addr().(*net.TCPAddr); !ok {
		address := l.Addr()
		return nil, errors.Join(fmt.Errorf("the service manager passed the %s socket %s: ListenStream= in the "+
			"socket unit must be a port or address:port", address.Network(), address), l.Close())
	}
	return l, nil
}
