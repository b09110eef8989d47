package query

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/schema/statement"
)

//go:embed sql/*.sql
var sqlFiles embed.FS

var statements = statement.Parse(sqlFiles)

// args are the parameters of a statement, by name.
type args map[string]any

// with gives the parameters with another one.
func (a args) with(name string, value any) args {
	b := maps.Clone(a)
	b[name] = value
	return b
}

// and returns the parameters merged with others.
func (a args) and(others args) args {
	b := maps.Clone(a)
	maps.Copy(b, others)
	return b
}

func (a args) named() []any {
	list := make([]any, 0, len(a))
	for name, value := range a {
		list = append(list, clickhouse.Named(name, value))
	}
	return list
}

// settings hold for every statement.
var settings = clickhouse.Settings{
	// A row's partition is made from its key, so FINAL need not look across.
	"do_not_merge_across_partitions_select_final": 1,
	// No question runs for ever, in seconds.
	"max_execution_time": 60,
}

func withSettings(ctx context.Context) context.Context {
	return clickhouse.Context(ctx, clickhouse.WithSettings(settings))
}

// ask runs a statement and gives its rows, each column in the field whose tag
// `ch` names it.
func ask[Row any](ctx context.Context, r *Reader, name string, shape any, a args) ([]Row, error) {
	text, err := statements.Text(name, shape)
	if err != nil {
		return nil, err
	}
	var rows []Row
	began := time.Now()
	err = r.conn.Select(withSettings(ctx), &rows, text, a.named()...)
	observe(name, began, err)
	if err != nil {
		return nil, fmt.Errorf("query %s: %w", name, err)
	}
	return rows, nil
}

// errMissingRow is for statements that always give a row, and gave none.
var errMissingRow = errors.New("no row where there is always one")

// askOne is ask for statements that give exactly one row.
func askOne[Row any](ctx context.Context, r *Reader, name string, shape any, a args) (Row, error) {
	rows, err := ask[Row](ctx, r, name, shape, a)
	if err == nil && len(rows) != 1 {
		err = fmt.Errorf("query %s: %w", name, errMissingRow)
	}
	if err != nil {
		var none Row
		return none, err
	}
	return rows[0], nil
}
