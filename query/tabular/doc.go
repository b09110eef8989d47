// Package tabular writes answers of unbounded length as rows: NDJSON, CSV and Parquet.
package tabular
