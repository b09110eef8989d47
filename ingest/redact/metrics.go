package redact

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

var masked = promauto.NewCounterVec(prometheus.CounterOpts{
	Name: "tapedeck_redacted_secrets_total", Help: "Secrets masked before recording, by the rule that found them.",
}, []string{"rule"})
