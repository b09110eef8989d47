// Package providerexport reads the usage and cost exports of model providers and compares them with
// recorded usage, by day in UTC, model and bucket.
//
// Exports are read as streams: memory holds one row and the sums by day and model. Exports are read
// strictly. A missing column, an unknown column and a value of the wrong type are errors that name
// the line and the field, since a partly understood file would show false differences.
//
// docs/billing.md has the mapping of every format and its source.
package providerexport
