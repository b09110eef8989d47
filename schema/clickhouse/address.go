package clickhouse

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/internal/certs"
)

var errDSN = errors.New("it must be of the form clickhouse://user:password@host:9000/database")

// CheckDSN checks the address of a ClickHouse server and its database. The error does not contain
// the DSN, which may have a password.
func CheckDSN(dsn string) error {
	u, err := url.Parse(dsn)
	if err != nil || u.Host == "" ||
		!slices.Contains([]string{"clickhouse", "tcp", "native", "http", "https"}, u.Scheme) {
		return errDSN
	}
	for host := range strings.SplitSeq(u.Host, ",") {
		if _, port, err := net.SplitHostPort(host); err == nil {
			if _, err := net.LookupPort("tcp", port); err != nil {
				return fmt.Errorf("the port %s is not a number from 0 to 65535", port)
			}
		}
	}
	plain, files, err := split(dsn)
	if err != nil {
		return errDSN
	}
	if _, err := clickhouse.ParseDSN(plain); err != nil {
		return errDSN
	}
	if files == nil {
		return nil
	}
	_, err = certs.Open(*files, nil)
	return err
}

// ServerName returns the server and the database of a valid DSN, without the password.
func ServerName(dsn string) string {
	u, err := url.Parse(dsn)
	if err != nil {
		return "ClickHouse"
	}
	return "ClickHouse at " + u.Host + u.Path
}
