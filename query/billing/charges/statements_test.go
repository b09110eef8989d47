package charges

import (
	"testing"

	"tapedeck/query/facts/rollup"
	"tapedeck/query/querytest"
)

func TestStatements(t *testing.T) {
	settled := shape{Source: rollup.Source{Settled: true}}
	page := shape{
		Source: rollup.Source{Settled: true, Unsettled: true, Remade: true},
		From:   true, To: true, After: true, Limited: true, Among: true, Tags: []string{"customer"},
	}
	made := shape{Source: rollup.Source{Unsettled: true, All: true}, From: true, To: true, Among: true}
	querytest.Statements(t, statements,
		querytest.NewStatement("charges", "charges", settled),
		querytest.NewStatement("charges_page", "charges", page),
		querytest.NewStatement("charges_made", "charges", made),
		querytest.NewStatement("removals", "removals", removalShape{Tables: removalTables}),
		querytest.NewStatement("removals_sharded", "removals", removalShape{Tables: removalTables, Sharded: true}),
	)
}
