// Package tabular writes rows in the formats of answers of unbounded length.
package tabular
