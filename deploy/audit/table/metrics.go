package table

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

var unreadable = promauto.NewCounter(prometheus.CounterOpts{
	Name: "tapedeck_audit_unreadable_total", Help: "Messages of the audit log that could not be read and were left out.",
})
