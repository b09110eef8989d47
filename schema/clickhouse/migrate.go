package clickhouse

import (
	"context"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/schema/migrate"
)

// Migrate applies the program's missing migrations and returns their names, see migrate.Apply.
func Migrate(ctx context.Context, conn driver.Conn) ([]string, error) {
	return migrate.Apply(ctx, conn, migrate.Options{})
}
