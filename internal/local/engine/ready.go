package engine

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// User is the ClickHouse user that clients connect as.
const User = "tapedeck"

// errCannotLoad marks a start that failed permanently.
var errCannotLoad = errors.New("the engine cannot be loaded")

// dsn returns the DSN for clickhouse-go.
func dsn(port int, password string) string {
	address := url.URL{
		Scheme: "clickhouse",
		User:   url.UserPassword(User, password),
		Host:   net.JoinHostPort(loopback, strconv.Itoa(port)),
		Path:   "/default",
	}
	return address.String()
}

// waitReady returns the engine's version once the engine answers a query. It fails if the process
// ends, if the process prints that it cannot listen, or if ctx ends.
func waitReady(ctx context.Context, dsn string, p *process) (string, error) {
	options, err := clickhouse.ParseDSN(dsn)
	if err != nil {
		return "", fmt.Errorf("address of the engine: %w", err)
	}
	options.DialTimeout = time.Second
	options.MaxOpenConns = 1
	connection, err := clickhouse.Open(options)
	if err != nil {
		return "", fmt.Errorf("connect to the engine: %w", err)
	}
	defer connection.Close()

	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		var version string
		err := connection.QueryRow(ctx, "SELECT version()").Scan(&version)
		if err == nil {
			return version, nil
		}
		// With a terminal, clickhouse-local reports a failed query of start.sql and continues
		// without it.
		if p.output.contains("Received exception") {
			return "", fmt.Errorf("it cannot listen: %s", p.output.summary())
		}
		select {
		case <-p.done:
			if p.cannotLoad() {
				return "", fmt.Errorf("%w: %w", errCannotLoad, p.reason())
			}
			return "", p.reason()
		case <-ctx.Done():
			return "", fmt.Errorf("it did not answer (%w): %w", context.Cause(ctx), err)
		case <-tick.C:
		}
	}
}
