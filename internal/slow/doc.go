// Package slow bounds how long a client may take to read an answer or to send a small body.
package slow

import (
	"tapedeck/internal/metric"
)

// clients counts the clients that were too slow, by the limit: a flag without --.
var clients = metric.CounterVec(metric.Any, "tapedeck_slow_clients_total",
	"Clients whose connection was closed since they took nothing, or sent nothing, for too long, by the limit.", "limit")
