package engine

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
)

// Ports are taken from below the range that the kernel uses for outgoing connections (32768 and up
// on Linux, 49152 and up on macOS). In that range a client that repeatedly dials the port while the
// engine restarts can receive the same number as its own source port. It then connects to itself
// and prevents the engine from listening on the port.
const (
	firstPort = 20000
	lastPort  = 32767
)

const loopback = "127.0.0.1"

// FreePort selects a loopback port on which no process listens at the moment.
func FreePort() (int, error) {
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
