package jetstream

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// ConnectOptions returns options for a connection that reconnects indefinitely, and that logs each
// loss of the connection and each reconnect.
func ConnectOptions(log *slog.Logger) []nats.Option {
	return []nats.Option{
		nats.Name("tapedeck"), nats.MaxReconnects(-1), nats.RetryOnFailedConnect(true),
		nats.IgnoreAuthErrorAbort(), // a server that refuses the user may accept it later
		nats.ReconnectWait(250 * time.Millisecond), nats.ReconnectJitter(250*time.Millisecond, time.Second),
		// Publishing fails while the connection is down, so that blocks go to the spool and not to
		// a buffer in memory.
		nats.ReconnectBufSize(-1),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				log.Warn("nats: connection lost, reconnecting", "error", err)
			}
		}),
		nats.ReconnectHandler(func(c *nats.Conn) { log.Info("nats: reconnected", "url", c.ConnectedUrlRedacted()) }),
	}
}

var errServers = errors.New("it must be of the form nats://host:4222, several separated by commas")

// CheckServers checks the addresses of NATS servers, separated by commas. The error does not
// contain the addresses, since they may hold passwords.
func CheckServers(servers string) error {
	for server := range strings.SplitSeq(servers, ",") {
		server = strings.TrimSpace(server)
		host := server
		if strings.Contains(server, "://") {
			u, err := url.Parse(server)
			if err != nil || u.Host == "" || !slices.Contains([]string{"nats", "tls", "ws", "wss"}, u.Scheme) {
				return errServers
			}
			host = u.Host
		} else if _, _, err := net.SplitHostPort(server); err != nil {
			return errServers
		}
		if _, port, err := net.SplitHostPort(host); err == nil {
			if _, err := net.LookupPort("tcp", port); err != nil {
				return fmt.Errorf("the port %s is not a number from 0 to 65535", port)
			}
		}
	}
	return nil
}

// HasUser reports whether one of the addresses of NATS servers has a user or a token.
func HasUser(servers string) bool {
	for server := range strings.SplitSeq(servers, ",") {
		if u, err := url.Parse(strings.TrimSpace(server)); err == nil && u.User != nil {
			return true
		}
	}
	return false
}

// ServerHost returns the host and port of a NATS address that CheckServers has accepted.
func ServerHost(server string) string {
	server = strings.TrimSpace(server)
	if u, err := url.Parse(server); err == nil && u.Host != "" {
		server = u.Host
	}
	if _, _, err := net.SplitHostPort(server); err != nil {
		server = net.JoinHostPort(strings.Trim(server, "[]"), "4222")
	}
	return server
}

// RedactServers removes passwords and tokens from the addresses of NATS servers.
func RedactServers(servers string) string {
	var shown []string
	for server := range strings.SplitSeq(servers, ",") {
		if u, err := url.Parse(strings.TrimSpace(server)); err == nil && u.User != nil {
			u.User = url.User("xxxxx")
			server = u.String()
		}
		shown = append(shown, server)
	}
	return strings.Join(shown, ",")
}
