package clickhouse

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/schema/migrations"
)

// Migrate updates the database's tables and returns the names of the migrations that it
// applied. Every statement may be run twice, so that several servers may start at once. It
// fails if a migration that was applied has changed since.
func Migrate(ctx context.Context, conn driver.Conn) ([]string, error) {
	if err := conn.Exec(ctx, createApplied); err != nil {
		return nil, fmt.Errorf("migrate: %w", err)
	}
	done, err := applied(ctx, conn)
	if err != nil {
		return nil, fmt.Errorf("migrate: read the applied migrations: %w", err)
	}
	all, err := migrations.All()
	if err != nil {
		return nil, fmt.Errorf("migrate: %w", err)
	}
	var names []string
	for _, m := range all {
		sum := checksum(m.Text)
		if was, ok := done[m.Version]; ok {
			if was != sum {
				return names, fmt.Errorf("migration %s was applied in another form (checksum %s, now %s): "+
					"an applied migration must not be changed, add a new one", m.Name, was, sum)
			}
			continue
		}
		for _, statement := range m.Statements {
			if err := conn.Exec(ctx, statement); err != nil {
				return names, fmt.Errorf("migration %s: %w", m.Name, err)
			}
		}
		if err := conn.Exec(ctx, insertApplied, m.Version, m.Name, sum); err != nil {
			return names, fmt.Errorf("migration %s: record it as applied: %w", m.Name, err)
		}
		names = append(names, m.Name)
	}
	return names, nil
}

func applied(ctx context.Context, conn driver.Conn) (map[uint32]string, error) {
	rows, err := conn.Query(ctx, readApplied)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	done := map[uint32]string{}
	for rows.Next() {
		var version uint32
		var sum string
		if err := rows.Scan(&version, &sum); err != nil {
			return nil, err
		}
		done[version] = sum
	}
	return done, rows.Err()
}

func checksum(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}
