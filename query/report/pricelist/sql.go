// Package pricelist shows the effective price table: its models, the history of one model,
// models that are used and have no price, and what a price file would change.
package pricelist

import (
	"embed"

	"tapedeck/query"
)

//go:embed sql/*.sql
var files embed.FS

var statements = query.Parse(files)
