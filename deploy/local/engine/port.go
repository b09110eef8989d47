package engine

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
)

// Ports are taken from below the range that the kernel hands to outgoing
// connections (32768 and up on Linux, 49152 and up on macOS). In that range a
// client that dials the port again and again while the engine restarts can be
// given the same number as its own source port; the connection then succeeds
// with itself and keeps the engine from ever listening there again.
const (
	firstPort = 20000
	lastPort  = 32767
)

const loopback = "127.0.0.1"

// freePort picks a loopback port that nobody listens on at this moment.
func freePort() (int, error) {
	var last error
	for range 100 {
		port := firstPort + rand.IntN(lastPort-firstPort+1)
		if last = portIsFree(port); last == nil {
			return port, nil
		}
	}
	return 0, fmt.Errorf("no free port found between %d and %d on %s: %w", firstPort, lastPort, loopback, last)
}

// portIsFree reports whether the engine could listen on port.
func portIsFree(port int) error {
	listener, err := net.Listen("tcp", net.JoinHostPort(loopback, strconv.Itoa(port)))
	if err != nil {
		return fmt.Errorf("ClickHouse's port is taken: %w", err)
	}
	return listener.Close()
}
