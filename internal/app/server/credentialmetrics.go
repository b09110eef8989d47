package server

import "tapedeck/internal/metric"

var credentials = metric.CounterVec(metric.Any, "tapedeck_http_credentials_total",
	"Requests to a server with tokens by the kind of credential (token, user, share, ticket, none) and outcome: "+
		"accepted, forbidden, refused.", "kind", "outcome")

// countCredential counts a request by its credential.
func countCredential(shown credential, outcome string) {
	kind := string(shown.kind)
	switch {
	case shown.text == "":
		kind = "none"
	case shown.ticket:
		kind = "ticket"
	}
	credentials.WithLabelValues(kind, outcome).Inc()
}
