package audit

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

var (
	entries = promauto.NewCounterVec(prometheus.CounterOpts{
		Name: "tapedeck_audit_entries_total", Help: "Entries that the audit log took, by action and outcome.",
	}, []string{"action", "outcome"})
	lost = promauto.NewCounterVec(prometheus.CounterOpts{
		Name: "tapedeck_audit_lost_total", Help: "Entries that the audit log lost: its queue was full, or the server ended before JetStream took them.",
	}, []string{"reason"})
)
