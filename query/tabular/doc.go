// Package tabular writes rows in the formats that answers of any length have.
package tabular
