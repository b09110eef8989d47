package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
	"time"

	"tapedeck/internal/commandline"
	"tapedeck/internal/rootcause"
)

// CheckAddress returns an error for the value of a flag that is not an address to listen on.
func CheckAddress(flag, addr string) error {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return commandline.Errorf("%s %q: it must be host:port, like 127.0.0.1:4600", flag, addr)
	}
	if _, err := net.LookupPort("tcp", port); err != nil {
		return commandline.Errorf("%s %q: the port must be a number from 0 to 65535, like 4600", flag, addr)
	}
	return nil
}

// CheckListen returns an error for an address that Listen does not open. Without tokens an address
// must be on loopback: every client that can reach the port can read and write everything.
func CheckListen(flag, addr string) error {
	if err := CheckAddress(flag, addr); err != nil {
		return err
	}
	host, _, _ := net.SplitHostPort(addr)
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return commandline.Errorf("%s %q: without tokens tapedeck answers on loopback only; use 127.0.0.1 or [::1]", flag, addr)
	}
	return nil
}

// Listen opens an address.
func Listen(flag, addr string) (net.Listener, error) {
	if err := CheckListen(flag, addr); err != nil {
		return nil, err
	}
	return listen(flag, addr)
}

func listen(flag, addr string) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w\n%s", addr, rootcause.Of(err), doAboutListen(flag, err))
	}
	return l, nil
}

// doAboutListen returns what to do about an address that cannot be opened.
func doAboutListen(flag string, err error) string {
	switch {
	case errors.Is(err, syscall.EACCES):
		return "This user must not open that port: choose one above 1023 with " + flag
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return "This machine does not have that address: choose another with " + flag
	}
	return "Another process may use the port; choose another with " + flag
}

// ListenAnywhere opens an address that need not be on loopback: of a server with tokens, or an
// address that CheckListen has accepted.
func ListenAnywhere(flag, addr string) (net.Listener, error) {
	if err := CheckAddress(flag, addr); err != nil {
		return nil, err
	}
	return listen(flag, addr)
}

// StopTimeout is how long a process may take to flush all data and end, unless StopClock.Limit is
// set.
const StopTimeout = 5 * time.Second

// StopClock is one deadline for all parts that shut down. It begins with the first call of Context.
type StopClock struct {
	Limit time.Duration // default StopTimeout
	end   time.Time
}

// Context returns a context that ends at the deadline.
func (c *StopClock) Context() (context.Context, context.CancelFunc) {
	if c.end.IsZero() {
		c.end = time.Now().Add(cmp.Or(c.Limit, StopTimeout))
	}
	return context.WithDeadline(context.Background(), c.end)
}
