package rollup

import (
	"testing"

	"tapedeck/query/querytest"
)

func TestStatements(t *testing.T) {
	querytest.Statements(t, statements,
		querytest.NewStatement("state", "state", stateShape{}),
		querytest.NewStatement("changed", "changed", changedShape{Tables: []string{"streams", "usage"}, OfTenant: true}),
		querytest.NewStatement("state_sharded", "state", stateShape{Sharded: true}),
		querytest.NewStatement("changed_sharded", "changed", changedShape{Tables: []string{"streams", "usage"}, OfTenant: true, Sharded: true}),
		querytest.NewStatement("mark_duplicates_all", "mark_duplicates", marking{All: true}),
		querytest.NewStatement("mark_duplicates_changed", "mark_duplicates", marking{Marked: true}),
		querytest.NewStatement("sessions_of_month", "sessions_of_month", nil),
		querytest.NewStatement("sessions_of_recent", "sessions_of_recent", nil),
		querytest.NewStatement("settle_charges", "settle_charges", usageShape{Plain: true, Care: true}),
		querytest.NewStatement("settle_usage", "settle_usage", nil),
		querytest.NewStatement("settle_calls", "settle_calls", nil),
		querytest.NewStatement("settle_tools", "settle_tools", nil),
		querytest.NewStatement("copy_calls", "copy_calls", callTables[0].name),
		querytest.NewStatement("settle_sessions", "settle_sessions", nil),
		querytest.NewStatement("settle_model_costs", "settle_model_costs", costShape{Tags: []string{"customer"}, PartRates: []string{"input_audio"}}),
		querytest.NewStatement("settle_costs", "settle_costs", nil),
	)
}
