package clickhouse

import (
	"strings"
	"testing"
)

func TestDSN(t *testing.T) {
	for _, good := range []string{"clickhouse://127.0.0.1:9000/default", "clickhouse://u:p@h:9000,i:9000/db?secure=true"} {
		if err := CheckDSN(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{"", "nonsense", "clickhouse://", "h:9000", "postgres://h:5432/db", "clickhouse://h:9000/db?dial_timeout=secret", "clickhouse://u:secret@h:99999/db", "clickhouse://u:secret@h:9000,i:90000/db"} {
		if err := CheckDSN(bad); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if got := ServerName("clickhouse://user:secret@h:9000/db"); got != "ClickHouse at h:9000/db" {
		t.Error(got)
	}
}
