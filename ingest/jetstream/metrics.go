package jetstream

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

var (
	sentMessages = promauto.NewCounter(prometheus.CounterOpts{
		Name: "tapedeck_publish_messages_total", Help: "Messages sent to JetStream; under load one holds several blocks.",
	})
	sentBlocks = promauto.NewCounter(prometheus.CounterOpts{
		Name: "tapedeck_publish_blocks_total", Help: "Blocks sent to JetStream.",
	})
)
