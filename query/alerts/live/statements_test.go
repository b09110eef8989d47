package live

import (
	"testing"

	"tapedeck/query/querytest"
)

func TestStatements(t *testing.T) {
	querytest.Statements(t, statements,
		querytest.NewStatement("live_tenants", "live_tenants", nil),
		querytest.NewStatement("live_sessions", "live_sessions", sessionsShape{}),
		querytest.NewStatement("live_sessions of some", "live_sessions", sessionsShape{Only: true}),
		querytest.NewStatement("live_spans", "live_spans", spansShape{}),
		querytest.NewStatement("live_spans since a time", "live_spans", spansShape{Since: true}),
		querytest.NewStatement("live_arguments", "live_arguments", nil),
	)
}
