package sink

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"
	driver "github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/schema/clickhouse"
)

// The advice follows from what ClickHouse answers, to inserts and to the statements that read the tables before.
func TestDiagnose(t *testing.T) {
	for _, tc := range []struct {
		err             error
		code, table, do string
	}{
		{errors.New("connection refused"), "", "", "start ClickHouse"},
		{fmt.Errorf("read the tables: %w", &driver.Exception{Code: 164}), "READONLY", "", "its setting readonly must be 0"},
		{&clickhouse.InsertError{Table: "frames", Err: &ch.Exception{Code: proto.ErrReadonly}}, "READONLY", "frames", "its setting readonly must be 0"},
		{fmt.Errorf("read the tables: %w", &driver.Exception{Code: 516}), "AUTHENTICATION_FAILED", "", "check user, password and grants"},
		{fmt.Errorf("read the tables: %w", &driver.Exception{Code: 1002}), "UNKNOWN_EXCEPTION", "", "see ClickHouse's log"},
	} {
		got := diagnose(tc.err)
		if got.code != tc.code || got.table != tc.table || !strings.Contains(got.do, tc.do) {
			t.Errorf("%v: %+v", tc.err, got)
		}
	}
}
