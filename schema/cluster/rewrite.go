package cluster

import (
	"context"
	"fmt"
	"regexp"
	"strings"
)

var (
	// changesTable matches statements that a Distributed table does not take.
	changesTable = regexp.MustCompile(`(?i)^\s*(?:(?:ALTER|OPTIMIZE|TRUNCATE)\s+TABLE|DELETE\s+FROM|SYSTEM\s+(?:START|STOP)\s+MERGES)\s`)
	// eachReplica matches statements that ClickHouse does not replicate.
	eachReplica = regexp.MustCompile(`(?i)^\s*SYSTEM\s`)
	// systemTable matches the system tables that describe what a member stores and does.
	systemTable = regexp.MustCompile(`\bsystem\.(?:parts|parts_columns|tables|columns|mutations|merges|processes)\b`)
	// tableIndex matches the table functions that read the index of a table.
	tableIndex = regexp.MustCompile(`\bmergeTree(?:Text)?Index\(currentDatabase\(\)[^()]*\)`)
)

// current is the function of SQL that the local database replaces.
const current = "currentDatabase()"

// ofMembers reports whether a statement is executed in the local database of every member.
func ofMembers(statement string) bool { return changesTable.MatchString(statement) }

// ofEachReplica reports whether a statement of ofMembers is executed on every replica of a shard also
// if the tables are replicated.
func ofEachReplica(statement string) bool { return eachReplica.MatchString(statement) }

type replicasKey struct{}

// WithAllReplicas returns a context of queries that read system tables of every replica. Without it they
// read those of one replica of each shard, so that rows of replicated tables are counted once.
func WithAllReplicas(ctx context.Context) context.Context {
	return context.WithValue(ctx, replicasKey{}, true)
}

// rewrite returns a statement that asks every shard for what only the tables of its local database
// answer.
func (c *Conn) rewrite(ctx context.Context, statement string) string {
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
	members := "cluster"
	if ctx.Value(replicasKey{}) != nil {
		members = "clusterAllReplicas"
	}
	return systemTable.ReplaceAllStringFunc(statement, func(table string) string {
		return fmt.Sprintf("%s('%s', %s)", members, c.name, table)
	})
}
