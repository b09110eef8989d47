package migrate

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	driver "github.com/ClickHouse/clickhouse-go/v2"
)

// Plan describes what a run of migrations would do.
type Plan struct {
	Migrations []PlannedMigration `json:"migrations"`
}

// PlannedMigration is a migration that is not, or not completely, applied.
type PlannedMigration struct {
	Name       string             `json:"name"`
	Oldest     uint32             `json:"oldest,omitempty"`
	Statements []PlannedStatement `json:"statements"`
}

// PlannedStatement is a statement with the size of its table. Rewrites reports that ClickHouse
// reads the rows to rewrite or index them; other statements change only the table's metadata.
type PlannedStatement struct {
	Number   int    `json:"number"`
	Text     string `json:"text"`
	Done     bool   `json:"done"`
	Table    string `json:"table"`
	Rows     uint64 `json:"rows"`
	Bytes    uint64 `json:"bytes"`
	Rewrites bool   `json:"rewrites"`
}

var (
	tableOf = regexp.MustCompile(`(?is)^\s*(?:ALTER TABLE|CREATE (?:TABLE|VIEW) IF NOT EXISTS|CREATE OR REPLACE VIEW|INSERT INTO|DROP TABLE IF EXISTS)\s+(\w+)`)
	// rewrites matches statements that process the rows of a table.
	rewrites = regexp.MustCompile(`(?i)\b(MATERIALIZE|MODIFY COLUMN|UPDATE|DELETE|INSERT INTO|CLEAR COLUMN|DROP COLUMN|RENAME COLUMN)\b`)
)

// Prepare returns what Apply would do, and changes nothing. Rows and bytes are from system.parts;
// they are 0 if the user may not read it.
func Prepare(ctx context.Context, conn driver.Conn, o Options) (*Plan, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	s, err := Read(ctx, conn, o)
	if err == nil {
		err = s.Check()
	}
	if err != nil {
		return nil, err
	}
	if conn, err = localOf(ctx, conn, o); err != nil {
		return nil, err
	}
	sizes, err := sizes(ctx, conn)
	if err != nil && !hasCode(err, codeAccess, codeUnknownDatabase) {
		return nil, err
	}
	p := &Plan{Migrations: []PlannedMigration{}}
	for _, m := range s.Pending() {
		planned := PlannedMigration{Name: m.Name, Oldest: m.Oldest}
		for i, text := range m.Statements {
			_, done := s.steps[[2]uint32{m.Version, uint32(i + 1)}]
			one := PlannedStatement{Number: i + 1, Text: text, Done: done,
				Rewrites: rewrites.MatchString(uncommented(text))}
			if found := tableOf.FindStringSubmatch(uncommented(text)); found != nil {
				one.Table = found[1]
			}
			one.Rows, one.Bytes = sizes[one.Table].rows, sizes[one.Table].bytes
			planned.Statements = append(planned.Statements, one)
		}
		p.Migrations = append(p.Migrations, planned)
	}
	return p, nil
}

// uncommented returns a statement without comment lines.
func uncommented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "--") {
			b.WriteString(line)
		}
	}
	return b.String()
}

type size struct{ rows, bytes uint64 }

func sizes(ctx context.Context, conn driver.Conn) (map[string]size, error) {
	rows, err := conn.Query(ctx, readParts)
	if err != nil {
		return nil, fmt.Errorf("read the sizes of tables: %w", err)
	}
	found := map[string]size{}
	for rows.Next() {
		var table string
		var s size
		if err := rows.Scan(&table, &s.rows, &s.bytes); err != nil {
			return nil, errors.Join(err, rows.Close())
		}
		found[table] = s
	}
	return found, errors.Join(rows.Err(), rows.Close())
}
