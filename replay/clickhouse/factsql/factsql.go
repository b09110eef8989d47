// Package factsql holds the statements that read a session's facts: one for each table, with the
// columns in the order of the fields in package schema.
package factsql

import (
	"embed"

	"tapedeck/schema/sqltemplate"
)

//go:embed sql/*.sql
var files embed.FS

var statements = sqltemplate.Parse(files)

// Spans, Messages and Usage are the tables of facts.
const (
	Spans    = "spans"
	Messages = "messages"
	Usage    = "usage"
)

// All returns the statement for all facts of a table. Its parameters are tenant, session, and first
// and last: the times of the session's first and last frames, ns.
func All(table string) string { return statements.Must(table, shape{}) }

// OfKinds is All for the kinds in the parameter kinds; usage has no kinds.
func OfKinds(table string) string { return statements.Must(table, shape{Kinds: table != Usage}) }

// shape holds the values of the statements' templates.
type shape struct{ Kinds bool }
