// Package providerexport reads the usage and cost exports of model providers and compares
// them with recorded usage, by day in UTC, model and bucket.
//
// Exports are read as streams: memory holds one row and the sums by day and model. An export
// is read strictly. A column that is missing, one that no format names, and a value that is
// not of its type are errors that name the line and the field, since a file that is half
// understood would show differences that are none.
//
// docs/billing.md has the mapping of every format and its source.
package providerexport
