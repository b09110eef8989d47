// Package migrations holds the ClickHouse schema as numbered SQL files. A released file is never
// changed; a change is a new file.
package migrations

import (
	"embed"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

//go:embed [0-9]*.sql
var files embed.FS

// Migration is one file of SQL statements.
type Migration struct {
	Version    uint32
	Name       string   // the file's name without ".sql"
	Statements []string // in order, without their semicolons
	Text       string   // the whole file
	// Oldest is the lowest migration that a program must have to use a database to which this
	// migration is applied. The line "-- oldest: 19" of the file sets it. Without the line it is 0,
	// and programs that do not know the migration can still use the database.
	Oldest uint32
}

// All returns the migrations in order.
func All() ([]Migration, error) {
	names, err := fs.Glob(files, "*.sql") // sorted
	if err != nil {
		return nil, err
	}
	all := make([]Migration, 0, len(names))
	for _, file := range names {
		name := strings.TrimSuffix(file, ".sql")
		number, _, _ := strings.Cut(name, "_")
		version, err := strconv.ParseUint(number, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("migration %s: the name must begin with a number", file)
		}
		text, err := files.ReadFile(file)
		if err != nil {
			return nil, err
		}
		oldest, err := oldestOf(string(text))
		if err != nil {
			return nil, fmt.Errorf("migration %s: %w", file, err)
		}
		all = append(all, Migration{uint32(version), name, split(string(text)), string(text), oldest})
	}
	return all, nil
}

// oldestOf returns the number in the line "-- oldest: N"; 0 if there is no such line.
func oldestOf(text string) (uint32, error) {
	for line := range strings.Lines(text) {
		if number, ok := strings.CutPrefix(line, "-- oldest:"); ok {
			n, err := strconv.ParseUint(strings.TrimSpace(number), 10, 32)
			if err != nil {
				return 0, fmt.Errorf("the line %q must have the number of a migration", strings.TrimSpace(line))
			}
			return uint32(n), nil
		}
	}
	return 0, nil
}

// split splits a file into statements, at semicolons at the end of a line.
func split(text string) []string {
	var statements []string
	for s := range strings.SplitSeq(text, ";\n") {
		if s = strings.TrimSpace(s); s != "" {
			statements = append(statements, s)
		}
	}
	return statements
}
