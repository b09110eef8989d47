package grafana

import (
	"maps"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"tapedeck/internal/fulltest"
	"tapedeck/query/querytest"
)

var ofRecordings = timeRange{querytest.When(-60), querytest.When(day), 10 * time.Minute}

// Every statement of every dashboard answers with rows: for all values of its variables, for
// each value, and for all of them listed; and its answers have the columns that Grafana needs.
func TestStatements(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	db := recorded(t)
	settle(t, db)
	var asked atomic.Int32
	t.Run("dashboards", func(t *testing.T) {
		for name := range All() {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				statements(t, db.Conn, name, &asked)
			})
		}
	})
	if n := asked.Load(); n < 200 {
		t.Errorf("%d statements were asked", n)
	}
}

// statements runs the statements of one dashboard.
func statements(t *testing.T, conn driver.Conn, name string, asked *atomic.Int32) {
	f := read(t, name)
	choices, values := []chosen{{}}, chosen{}
	for i, of := range sessionsRecorded {
		if i == 1 { // the others have each value
			continue
		}
		choices = append(choices, chosen{"tenant": {of.tenant}, "model": {of.model}, "tag": {of.tag + "=" + of.value}})
	}
	if name == "usage.json" { // which knows the models of usage records
		choices = append(choices, chosen{"model": {unpriced}})
	}
	for _, v := range f.Templating.List {
		if sql, is := v.Query.(string); is && v.Type == "query" {
			values[v.Name] = texts(t, conn, expand(t, sql, chosen{}, ofRecordings))
			covered := map[string]bool{}
			for _, c := range choices {
				if len(c[v.Name]) > 0 {
					covered[c[v.Name][0]] = true
				}
			}
			if !v.Multi || !v.IncludeAll || !slices.Equal(values[v.Name], slices.Sorted(maps.Keys(covered))) {
				t.Errorf("%s: the values of %s are %q, want %v", name, v.Name, values[v.Name], covered)
			}
		}
	}
	choices = append(choices, values)
	for _, p := range f.Panels {
		for _, target := range p.Targets {
			if target.RawSQL == "" {
				continue
			}
			for _, c := range choices {
				asked.Add(1)
				sql := expand(t, target.RawSQL, c, ofRecordings)
				columns, rows, err := ask(t, conn, sql)
				if err != nil || rows == 0 {
					t.Errorf("%s, %q, with %v: %d rows, %v\n%s", name, p.Title, c, rows, err, sql)
					break
				}
				if p.Type == timeSeries && (columns[0] != "time" || columns[1] != "series" || target.Format != 0) {
					t.Errorf("%s, %q has the columns %v", name, p.Title, columns)
				}
			}
		}
	}
}

// ask returns the columns of an answer and how many rows it has.
func ask(t *testing.T, conn driver.Conn, sql string) (columns []string, rows int, err error) {
	t.Helper()
	// One thread is faster for so few rows.
	ctx := clickhouse.Context(t.Context(), clickhouse.WithSettings(clickhouse.Settings{"max_threads": 1}))
	answer, err := conn.Query(ctx, sql)
	if err != nil {
		return nil, 0, err
	}
	defer answer.Close()
	for answer.Next() {
		rows++
	}
	return answer.Columns(), rows, answer.Err()
}

// texts returns an answer of one column.
func texts(t *testing.T, conn driver.Conn, sql string) (list []string) {
	t.Helper()
	answer, err := conn.Query(t.Context(), sql)
	if err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
	defer answer.Close()
	for answer.Next() {
		var s string
		if err := answer.Scan(&s); err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	return list
}
