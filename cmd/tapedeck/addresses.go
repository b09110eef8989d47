package main

import (
	"net"
	"net/url"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// checkNATS finds what is wrong with the value of --nats: servers, separated by
// commas.
func checkNATS(servers string) error {
	for server := range strings.SplitSeq(servers, ",") {
		server = strings.TrimSpace(server)
		if !strings.Contains(server, "://") {
			if _, _, err := net.SplitHostPort(server); err == nil {
				continue
			}
		} else if u, err := url.Parse(server); err == nil && u.Host != "" {
			switch u.Scheme {
			case "nats", "tls", "ws", "wss":
				continue
			}
		}
		return badUsage("--nats: it must be of the form nats://host:4222, several with commas")
	}
	return nil
}

// natsHost is the host and port of a NATS server that was checked.
func natsHost(server string) string {
	server = strings.TrimSpace(server)
	if u, err := url.Parse(server); err == nil && u.Host != "" {
		server = u.Host
	}
	if _, _, err := net.SplitHostPort(server); err != nil {
		server = net.JoinHostPort(strings.Trim(server, "[]"), "4222")
	}
	return server
}

// redactedNATS leaves passwords and tokens out of the value of --nats.
func redactedNATS(servers string) string {
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

// checkClickHouse finds what is wrong with the value of --clickhouse. It is not
// shown: it may hold a password.
func checkClickHouse(dsn string) error {
	u, err := url.Parse(dsn)
	if err == nil && u.Host != "" {
		_, err = clickhouse.ParseDSN(dsn)
	}
	if err != nil || u.Host == "" {
		return badUsage("--clickhouse: it must be of the form clickhouse://user:password@host:9000/database")
	}
	return nil
}

// clickHouseAt names the server and the database of a DSN that was checked.
func clickHouseAt(dsn string) string {
	u, err := url.Parse(dsn)
	if err != nil {
		return "ClickHouse"
	}
	return "ClickHouse at " + u.Host + u.Path
}
