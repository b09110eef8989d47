package server

import (
	"context"
	"net/http"
	"time"

	"tapedeck/internal/app/alerting"
	"tapedeck/query"
	"tapedeck/query/endpoint"
	"tapedeck/query/report/toolreport"
)

// alertLimits bound the statements of the evaluation of rules, so that the other cores stay available for
// queries.
var alertLimits = query.Limits{Time: 30 * time.Second, Memory: 1 << 30, Threads: 1}

// newAlerting returns the service that evaluates the rules of alerts; nil without rules. options are those of the
// server's reader.
func (s *Server) newAlerting(usuals *toolreport.Usuals, options []query.Option) *alerting.Service {
	if len(s.AlertRules) == 0 {
		return nil
	}
	reader := query.NewReader(s.Node.Work, append(options[:len(options):len(options)], query.WithLimits(alertLimits))...)
	return alerting.New(alerting.Options{Rules: s.AlertRules, NATS: s.Node.NATS, Reader: reader, Usuals: usuals, Targets: s.AlertTargets, Log: s.Log,
		Lag: func(ctx context.Context) (time.Duration, error) {
			b, err := s.Node.Backlog.Read(ctx)
			return b.Age(), err
		}})
}

// alertsOf serves GET /v1/alerts: a list, or a stream to a client that prefers server-sent events.
func alertsOf(list, stream tenantHandler) tenantHandler {
	return func(w http.ResponseWriter, r *http.Request, tenant string) {
		if endpoint.WantsEvents(r) {
			stream(w, r, tenant)
			return
		}
		list(w, r, tenant)
	}
}
