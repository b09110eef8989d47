package audit

import (
	"tapedeck/internal/metric"
)

// Reasons why entries are lost.
const (
	lostFull    = "full"
	lostStopped = "stopped"
)

var (
	entries = metric.CounterVec(metric.Any, "tapedeck_audit_entries_total",
		"Entries that the audit log took, by action and outcome.", "action", "outcome")
	waiting = metric.Gauge(metric.Any, "tapedeck_audit_queue_entries",
		"Entries that wait until JetStream takes them.")
	lost = metric.CounterVecOf(metric.Any, "tapedeck_audit_lost_total",
		"Entries that the audit log lost: its queue was full, or the server ended before JetStream took them.", "reason", lostFull, lostStopped)
)
