package server

import (
	"fmt"
	"log/slog"
	"strings"
)

// metricsLog logs errors of collecting /metrics. It implements promhttp.Logger.
type metricsLog struct{ log *slog.Logger }

// Println implements promhttp.Logger.
func (m metricsLog) Println(v ...any) {
	m.log.Error("metrics: some could not be collected", "error", strings.TrimSpace(fmt.Sprintln(v...)))
}
