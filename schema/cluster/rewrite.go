package cluster

import (
	"fmt"
	"regexp"
	"strings"
)

var (
	// changesTable matches statements that a Distributed table does not take.
	changesTable = regexp.MustCompile(`(?i)^\s*(?:(?:ALTER|OPTIMIZE|TRUNCATE)\s+TABLE|DELETE\s+FROM|SYSTEM\s+(?:START|STOP)\s+MERGES)\s`)
	// systemTable matches the system tables that describe what a member stores and does.
	systemTable = regexp.MustCompile(`\bsystem\.(?:parts|parts_columns|tables|columns|mutations|merges|processes)\b`)
	// tableIndex matches the table functions that read the index of a table.
	tableIndex = regexp.MustCompile(`\bmergeTree(?:Text)?Index\(currentDatabase\(\)[^()]*\)`)
)

// current is the function of SQL that the local database replaces.
const current = "currentDatabase()"

// ofMembers reports whether a statement is executed in the local database of every member.
func ofMembers(statement string) bool { return changesTable.MatchString(statement) }

// rewrite returns a statement that asks every shard for what only the tables of its local database
// answer.
func (c *Conn) rewrite(statement string) string {
	if !strings.Contains(statement, "system.") && !strings.Contains(statement, "mergeTree") {
		return statement
	}
	database := "'" + c.Local() + "'"
	statement = tableIndex.ReplaceAllStringFunc(statement, func(call string) string {
		return fmt.Sprintf("cluster('%s', %s)", c.name, strings.Replace(call, current, database, 1))
	})
	if !systemTable.MatchString(statement) {
		return statement
	}
	statement = strings.ReplaceAll(statement, current, database)
	return systemTable.ReplaceAllStringFunc(statement, func(table string) string {
		return fmt.Sprintf("cluster('%s', %s)", c.name, table)
	})
}
