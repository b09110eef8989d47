package query

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"go.opentelemetry.io/otel/trace"

	"tapedeck/internal/tracing"
	"tapedeck/schema/cluster"
	"tapedeck/schema/sqltemplate"
)

// Args are the parameters of a statement, by name.
type Args map[string]any

// With returns a copy of the parameters with one parameter added or replaced.
func (a Args) With(name string, value any) Args {
	b := maps.Clone(a)
	b[name] = value
	return b
}

// And returns a copy of the parameters merged with others; others wins on equal names.
func (a Args) And(others Args) Args {
	b := maps.Clone(a)
	maps.Copy(b, others)
	return b
}

func (a Args) named() []any {
	list := make([]any, 0, len(a))
	for name, value := range a {
		list = append(list, clickhouse.Named(name, value))
	}
	return list
}

func (r *Reader) withSettings(ctx context.Context) context.Context {
	settings := r.limits.Load().settings()
	if cluster.IsPartial(ctx) {
		settings["skip_unavailable_shards"] = 1
	}
	options := []clickhouse.QueryOption{clickhouse.WithSettings(settings)}
	if span := trace.SpanContextFromContext(ctx); span.IsValid() && tracing.On() {
		options = append(options, clickhouse.WithSpan(span)) // the parent of ClickHouse's own spans
	}
	return clickhouse.Context(ctx, options...)
}

// Ask runs a statement and returns its rows. Each column is stored in the field that names it in
// the tag `ch`.
func Ask[Row any](ctx context.Context, r *Reader, set *sqltemplate.Set, name string, shape any, a Args) ([]Row, error) {
	text, err := set.Text(name, shape)
	if err != nil {
		return nil, err
	}
	var rows []Row
	ctx, ended := begin(ctx, name)
	err = r.conn.Select(r.withSettings(ctx), &rows, text, a.named()...)
	ended(err)
	if err != nil {
		return nil, fmt.Errorf("query %s: %w", name, err)
	}
	return rows, nil
}

// Each runs a statement and calls visit with each row until visit returns an error. A row is valid
// only during its call.
func Each[Row any](
	ctx context.Context, r *Reader, set *sqltemplate.Set, name string, shape any, a Args, visit func(*Row) error,
) error {
	text, err := set.Text(name, shape)
	if err != nil {
		return err
	}
	return run(ctx, r, name, text, a, visit, scanStructs)
}

// EachInPlace does the same as Each with less processor time for each row: all rows are in the same
// memory, which visit must not keep a pointer to. Row must have a field for each column.
func EachInPlace[Row any](
	ctx context.Context, r *Reader, set *sqltemplate.Set, name string, shape any, a Args, visit func(*Row) error,
) error {
	text, err := set.Text(name, shape)
	if err != nil {
		return err
	}
	return run(ctx, r, name, text, a, visit, scanAgain)
}

func run[Row any](
	ctx context.Context, r *Reader, name, text string, a Args, visit func(*Row) error,
	scan func(driver.Rows, func(*Row) error) error,
) error {
	ctx, ended := begin(ctx, name)
	err := each(r.withSettings(ctx), r, text, a, visit, scan)
	ended(err)
	if err != nil {
		return fmt.Errorf("query %s: %w", name, err)
	}
	return nil
}

func each[Row any](
	ctx context.Context, r *Reader, text string, a Args, visit func(*Row) error,
	scan func(driver.Rows, func(*Row) error) error,
) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	rows, err := r.conn.Query(ctx, text, a.named()...)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			cancel() // ends the statement, so that Close has few rows left to read
		}
		if closed := rows.Close(); err == nil {
			err = closed
		}
	}()
	return scan(rows, visit)
}

// scanStructs calls visit with each row, in memory of its own.
func scanStructs[Row any](rows driver.Rows, visit func(*Row) error) error {
	for rows.Next() {
		var row Row
		if err := rows.ScanStruct(&row); err != nil {
			return err
		}
		if err := visit(&row); err != nil {
			return err
		}
	}
	return rows.Err()
}

// scanAgain calls visit with each row, all in the same memory.
func scanAgain[Row any](rows driver.Rows, visit func(*Row) error) error {
	var row Row
	fields, err := fieldsOf(&row, rows.Columns())
	if err != nil {
		return err
	}
	for rows.Next() {
		if err := rows.Scan(fields...); err != nil {
			return err
		}
		if err := visit(&row); err != nil {
			return err
		}
	}
	return rows.Err()
}

// fieldsOf returns pointers to the fields of a row that have the names of columns in the tag `ch`.
func fieldsOf(row any, columns []string) ([]any, error) {
	byName := map[string]any{}
	var add func(v reflect.Value)
	add = func(v reflect.Value) {
		for i := range v.NumField() {
			field := v.Type().Field(i)
			name := field.Tag.Get("ch")
			switch {
			case name == "" && field.Anonymous && field.Type.Kind() == reflect.Struct:
				add(v.Field(i))
			case name != "" && name != "-" && field.IsExported():
				byName[name] = v.Field(i).Addr().Interface()
			}
		}
	}
	add(reflect.ValueOf(row).Elem())
	fields := make([]any, len(columns))
	for i, name := range columns {
		field, ok := byName[name]
		if !ok {
			return nil, fmt.Errorf("the rows have no field of the column %q", name)
		}
		fields[i] = field
	}
	return fields, nil
}

// errMissingRow is the error of a statement that should always return a row and returned none.
var errMissingRow = errors.New("the statement returned no row")

// AskOne is Ask for a statement that returns exactly one row.
func AskOne[Row any](
	ctx context.Context, r *Reader, set *sqltemplate.Set, name string, shape any, a Args,
) (Row, error) {
	rows, err := Ask[Row](ctx, r, set, name, shape, a)
	if err == nil && len(rows) != 1 {
		err = fmt.Errorf("query %s: %w", name, errMissingRow)
	}
	if err != nil {
		var none Row
		return none, err
	}
	return rows[0], nil
}

// Exec runs a statement that returns no rows.
func Exec(ctx context.Context, r *Reader, set *sqltemplate.Set, name string, shape any, a Args) error {
	text, err := set.Text(name, shape)
	if err != nil {
		return err
	}
	ctx, ended := begin(ctx, name)
	err = r.conn.Exec(r.withSettings(ctx), text, a.named()...)
	ended(err)
	if err != nil {
		return fmt.Errorf("query %s: %w", name, err)
	}
	return nil
}

// Within adds the range of days (UTC) on which facts of the time from first to last (ns) may have
// been reported first. The range has one spare day on each side, which costs no measurable time.
func (a Args) Within(first, last int64) Args {
	const spare = 24 * 3600 * 1e9
	return a.With("first_day", day(first-spare)).With("last_day", day(last+spare))
}
