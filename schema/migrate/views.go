package migrate

import (
	"context"
	"fmt"
	"regexp"

	driver "github.com/ClickHouse/clickhouse-go/v2"
)

var viewOf = regexp.MustCompile(`(?is)^\s*CREATE (?:OR REPLACE VIEW|VIEW IF NOT EXISTS)\s+(\w+)`)

// ensureViews creates missing views of applied migrations: a backup contains tables only.
func ensureViews(ctx context.Context, conn driver.Conn, o Options) error {
	texts := map[string]string{}
	var names []string
	for _, m := range o.Migrations {
		for _, text := range m.Statements {
			if found := viewOf.FindStringSubmatch(uncommented(text)); found != nil {
				if texts[found[1]] == "" {
					names = append(names, found[1])
				}
				texts[found[1]] = text
			}
		}
	}
	if len(names) == 0 {
		return nil
	}
	var there uint64
	err := conn.QueryRow(ctx, countTables, names).Scan(&there)
	if err != nil {
		return fmt.Errorf("read which views exist: %w", err)
	}
	if there == uint64(len(names)) {
		return nil
	}
	for _, name := range names {
		if err := conn.Exec(ctx, texts[name]); err != nil {
			return fmt.Errorf("make the view %s: %w", name, err)
		}
	}
	return nil
}
