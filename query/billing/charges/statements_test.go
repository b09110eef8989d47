package charges

import (
	"testing"

	"tapedeck/query/querytest"
	"tapedeck/query/report/grouping"
)

func TestStatements(t *testing.T) {
	plain := shape{Shape: grouping.Shape{Table: "usage", ID: "usage_id", Stated: true}}
	careful := shape{Shape: grouping.Shape{
		Table: "usage", ID: "usage_id", Stated: true, From: true, To: true, Tags: []string{"customer"}, CellTags: []string{"'x'"},
		Among: true, Crossing: true, Repeated: true, Running: true, Careful: true,
	}, After: true, Limited: true}
	querytest.Statements(t, statements,
		querytest.NewStatement("charges", "charges", plain),
		querytest.NewStatement("charges_page_with_care", "charges", careful),
	)
}
