package migration

import (
	"errors"
	"fmt"
	"net"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/internal/rootcause"
	"tapedeck/schema/clickhouse"
)

// Error codes of ClickHouse for invalid connection settings.
const (
	codeUnknownDatabase = 81
	codeUnknownUser     = 192
	codeWrongPassword   = 193
	codeNoPassword      = 194
	codeRefused         = 516
)

// Problem adds what to do to an error of ClickHouse.
func Problem(dsn string, err error) error {
	name := clickhouse.ServerName(dsn)
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return fmt.Errorf("%s does not answer (%w)\nName another server with --clickhouse or TAPEDECK_CLICKHOUSE",
			name, rootcause.Of(op.Err))
	}
	if e, ok := errors.AsType[*driver.Exception](err); ok {
		switch e.Code {
		case codeUnknownDatabase:
			return fmt.Errorf("%s: there is no such database\nMake it first (CREATE DATABASE …), or name another one with --clickhouse", name)
		case codeUnknownUser, codeWrongPassword, codeNoPassword, codeRefused:
			return fmt.Errorf("%s refuses the user or the password\nCorrect those in --clickhouse or in the file of --clickhouse-password-file", name)
		}
	}
	return fmt.Errorf("%s: %w", name, err)
}
