// Package slow bounds how long a client may take to read an answer or to send a small body.
package slow

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// clients counts the clients that were too slow, by the limit: a flag without --.
var clients = promauto.NewCounterVec(prometheus.CounterOpts{
	Name: "tapedeck_slow_clients_total", Help: "Clients whose connection was closed since they took nothing, or sent nothing, for too long, by the limit.",
}, []string{"limit"})
