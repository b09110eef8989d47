package sink

import (
	"errors"
	"fmt"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"
	driver "github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/schema/clickhouse"
)

// trouble describes why ClickHouse does not store blocks.
type trouble struct {
	code  string // ClickHouse's name for the error; "" if it did not answer
	table string // "" if the error is not about one table
	do    string // what to do about the error
}

const (
	doMigrate = `run "tapedeck migrate": the tables are missing or older than this program`
	doRights  = "check user, password and grants of the address in --clickhouse: the sink has to insert into every table"
	doReach   = "start ClickHouse, or correct the address in --clickhouse"
	doLook    = "see ClickHouse's log; blocks are retried until it accepts them"
)

// advice maps ClickHouse errors to advice for the operator.
var advice = map[proto.Error]string{
	proto.ErrUnknownTable:        doMigrate,
	proto.ErrUnknownDatabase:     `create the database, then run "tapedeck migrate"`,
	proto.ErrNoSuchColumnInTable: doMigrate,
	proto.ErrUnknownIdentifier:   doMigrate,
	proto.ErrTooManyParts: "wait for ClickHouse's merges, or raise max_parts_in_total and " +
		"parts_to_throw_insert of the table",
	proto.ErrMemoryLimitExceeded: "raise ClickHouse's max_memory_usage and max_server_memory_usage, " +
		"or end other queries that use its memory",
	proto.ErrNotEnoughSpace: "free disk space of ClickHouse",
	proto.ErrReadonly:       "allow the user of --clickhouse to write: its setting readonly must be 0",
	proto.ErrTableIsReadOnly: "find out why ClickHouse made the table read-only: " +
		"its disk, its replica, or Keeper",
	proto.ErrAccessDenied:               doRights,
	proto.ErrAuthenticationFailed:       doRights,
	proto.ErrUnknownUser:                doRights,
	proto.ErrWrongPassword:              doRights,
	proto.ErrRequiredPassword:           doRights,
	proto.ErrQuotaExceeded:              "raise the quota of ClickHouse's user, or wait for its next interval",
	proto.ErrTooManySimultaneousQueries: "raise ClickHouse's max_concurrent_queries, or end other queries",
}

// diagnose returns the code, the table and the advice for the error of an insert, or of a statement that reads the tables.
func diagnose(err error) trouble {
	t := trouble{do: doReach}
	var insert *clickhouse.InsertError
	if errors.As(err, &insert) {
		t.table = insert.Table
	}
	code, answered := answeredWith(err)
	if !answered {
		return t
	}
	t.code, t.do = code.String(), doLook
	if blockErrors[code] {
		t.do = "check whether the table's columns or constraints were changed: no block is accepted"
	}
	if do := advice[code]; do != "" {
		t.do = do
	}
	return t
}

// answeredWith returns the code of an error that ClickHouse answered, to the client of inserts or to that of statements.
func answeredWith(err error) (code proto.Error, ok bool) {
	if no, ok := errors.AsType[*ch.Exception](err); ok {
		return no.Code, true
	}
	if no, ok := errors.AsType[*driver.Exception](err); ok {
		return proto.Error(no.Code), true
	}
	return 0, false
}

// Detail describes the trouble and its duration, or the shards that are away; it is "" if there is
// neither.
func (s Status) Detail() string {
	if s.OK && len(s.ShardsAway) > 0 {
		return describeAway(s.ShardsAway)
	}
	if s.OK || s.Trouble == "" {
		return s.Error
	}
	text := fmt.Sprintf("nothing has been stored since %s, %s", s.Since.UTC().Format(time.RFC3339), s.Trouble)
	if s.Code != "" {
		text += " answers " + s.Code
	}
	if s.Table != "" {
		text += " for table " + s.Table
	}
	if s.Error != "" {
		text += ": " + s.Error
	}
	return text
}
