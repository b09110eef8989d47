package server

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"time"

	"tapedeck/internal/apiclient"
	"tapedeck/internal/usage"
)

// CheckListen refuses addresses that Listen does not open. Without tokens an address must
// be on loopback: every client that can reach the port can read and write everything.
func CheckListen(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return usage.Errorf("--listen %q: it must be host:port, like 127.0.0.1:4600", addr)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return usage.Errorf("--listen %q: without tokens tapedeck answers on loopback only; use 127.0.0.1 or [::1]", addr)
	}
	return nil
}

// Listen opens an address.
func Listen(addr string) (net.Listener, error) {
	if err := CheckListen(addr); err != nil {
		return nil, err
	}
	return listen(addr)
}

func listen(addr string) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w\nAnother process may use the port; choose another with --listen", addr, apiclient.RootOf(err))
	}
	return l, nil
}

// ListenAnywhere opens an address that need not be on loopback: of a server with tokens, or one
// that CheckListen has passed.
func ListenAnywhere(addr string) (net.Listener, error) {
	if _, _, err := net.SplitHostPort(addr); err != nil {
		return nil, usage.Errorf("--listen %q: it must be host:port, like 0.0.0.0:4600", addr)
	}
	return listen(addr)
}

// StopTimeout is how long a process may take to flush everything and end, unless
// StopClock.Limit sets another one.
const StopTimeout = 5 * time.Second

// StopClock is one deadline for all parts that shut down, counted from the first.
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
