package redact

import (
	"tapedeck/internal/metric"
)

var masked = metric.CounterVec(metric.Ingest, "tapedeck_redacted_secrets_total",
	"Secrets masked before recording, by the rule that found them.", "rule")
