package ingest

import "github.com/prometheus/client_golang/prometheus/testutil"

// CountedLimit returns what is counted of a limit.
func CountedLimit(limit string) float64 { return testutil.ToFloat64(limits.WithLabelValues(limit)) }
