package alerts

import (
	"testing"

	"tapedeck/query/querytest"
)

func TestStatements(t *testing.T) {
	querytest.Statements(t, statements,
		querytest.NewStatement("alerts", "alerts", shape{Rules: true, Open: true, From: true, To: true, After: true}),
		querytest.NewStatement("alerts_of_session", "alerts", shape{Session: true, Ended: true}),
		querytest.NewStatement("alerts_of_budget", "alerts", shape{Per: true, Value: true}),
		querytest.NewStatement("open_alerts", "open_alerts", nil),
		querytest.NewStatement("recent_alerts", "recent_alerts", nil),
		querytest.NewStatement("known_alerts", "known_alerts", nil),
		querytest.NewStatement("newest_version", "newest_version", nil),
		querytest.NewStatement("written_alerts", "written_alerts", nil),
		querytest.NewStatement("changed_alerts", "changed_alerts", shape{Open: true, Rules: true}),
	)
}
