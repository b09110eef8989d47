package endpoint

import (
	"errors"
	"regexp"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// unreachable is ClickHouse's error code for a member of a cluster that does not answer
// (ALL_CONNECTION_TRIES_FAILED).
const unreachable = 279

// address matches the member in the message of the error.
var address = regexp.MustCompile(`\(([^\s(),]+:\d+)[,)]`)

// shardAway reports whether err means that a shard of the cluster cannot be reached. member is " at " and
// its address, or "" if the message does not have it.
func shardAway(err error) (member string, is bool) {
	e, ok := errors.AsType[*clickhouse.Exception](err)
	if !ok || e.Code != unreachable {
		return "", false
	}
	if found := address.FindStringSubmatch(e.Message); found != nil {
		member = " at " + found[1]
	}
	return member, true
}
