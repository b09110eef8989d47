// Package loopback has addresses for tests of servers that go away and come back at the same address.
//
// Between the two, another test may listen at 127.0.0.1 on a port that the system chooses, which may
// be the one that was free. On Linux each process therefore uses an address of its own in 127.0.0.0/8.
package loopback

import (
	"fmt"
	"net"
	"os"
	"runtime"
	"testing"
)

// Host returns the loopback address of this process.
func Host() string {
	if runtime.GOOS != "linux" {
		return "127.0.0.1"
	}
	pid := os.Getpid()
	return fmt.Sprintf("127.77.%d.%d", pid>>8&255, pid&255)
}

// Free returns a host and a port on which nothing listens.
func Free(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", net.JoinHostPort(Host(), "0"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
