package grafana

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// chosen holds the selections at the head of a dashboard; no value selects all.
type chosen map[string][]string

// timeRange is the time range of a dashboard, with the time between two points of a series.
type timeRange struct {
	from, to time.Time
	interval time.Duration
}

// expand replaces macros and variables in a statement as Grafana and its ClickHouse plugin do:
// $__conditionalAll in the browser (CHDatasource.ts of github.com/grafana/clickhouse-datasource),
// then variables (the format sqlstring of Grafana), then the other macros (pkg/macros/macros.go).
func expand(t *testing.T, sql string, c chosen, r timeRange) string {
	t.Helper()
	for {
		at, args, end := macro(sql, "$__conditionalAll(")
		if at < 0 {
			break
		}
		name := strings.Trim(strings.TrimSpace(args[1]), "${}")
		with := "1=1"
		if len(c[name]) > 0 {
			with = args[0]
		}
		sql = sql[:at] + with + sql[end:]
	}
	for name, values := range c {
		var quoted []string
		for _, v := range values {
			quoted = append(quoted, "'"+strings.ReplaceAll(v, "'", "''")+"'")
		}
		sql = strings.ReplaceAll(sql, "${"+name+":sqlstring}", strings.Join(quoted, ","))
	}
	for _, m := range []struct {
		name string
		with func(column string) string
	}{
		{"$__timeFilter_ms(", func(c string) string {
			return fmt.Sprintf("%s >= fromUnixTimestamp64Milli(%d) AND %s <= fromUnixTimestamp64Milli(%d)", c, r.from.UnixMilli(), c, r.to.UnixMilli())
		}},
		{"$__timeInterval(", func(c string) string {
			return fmt.Sprintf("toStartOfInterval(toDateTime(%s), INTERVAL %d second)", c, int(r.interval.Seconds()))
		}},
	} {
		for {
			at, args, end := macro(sql, m.name)
			if at < 0 {
				break
			}
			sql = sql[:at] + m.with(args[0]) + sql[end:]
		}
	}
	if strings.Contains(sql, "$") {
		t.Errorf("a macro or variable is left in %s", sql)
	}
	return sql
}

// macro finds the last use of a macro: where it begins, its arguments, and where it ends.
func macro(sql, name string) (at int, args []string, end int) {
	at = strings.LastIndex(sql, name)
	if at < 0 {
		return -1, nil, 0
	}
	depth, from := 1, at+len(name)
	for i := from; i < len(sql); i++ {
		switch sql[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return at, append(args, sql[from:i]), i + 1
			}
		case ',':
			if depth == 1 {
				args, from = append(args, sql[from:i]), i+1
			}
		}
	}
	return -1, nil, 0
}

func TestExpand(t *testing.T) {
	r := timeRange{time.UnixMilli(1500), time.UnixMilli(2500), time.Minute}
	sql := "SELECT $__timeInterval(at) WHERE $__timeFilter_ms(at) AND $__conditionalAll((a, b) IN (SELECT x WHERE y IN (${v:sqlstring})), $v)"
	const start = "SELECT toStartOfInterval(toDateTime(at), INTERVAL 60 second) WHERE at >= fromUnixTimestamp64Milli(1500) AND at <= fromUnixTimestamp64Milli(2500) AND "
	got := []string{expand(t, sql, chosen{}, r), expand(t, sql, chosen{"v": {"o'x", "y"}}, r)}
	if want := []string{start + "1=1", start + "(a, b) IN (SELECT x WHERE y IN ('o''x','y'))"}; !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
