package table

import (
	"tapedeck/internal/metric"
)

var unreadable = metric.Counter(metric.Sink, "tapedeck_audit_unreadable_total",
	"Messages of the audit log that could not be read and were left out.")
