package toolreport

import (
	"testing"

	"tapedeck/query/facts/rollup"
	"tapedeck/query/querytest"
	"tapedeck/query/report/grouping"
)

func TestStatements(t *testing.T) {
	tools := func(g grouping.Granularity) grouping.Shape {
		return grouping.Shape{Period: g.Expression("seen_ns"), Source: rollup.Source{Settled: true}}
	}
	narrowed := tools(grouping.Monthly)
	narrowed.Source = rollup.Source{Unsettled: true, All: true}
	narrowed.Groups = []string{toolColumns["tool"]}
	narrowed.From, narrowed.Among = true, true
	settled := tools(grouping.Daily)
	settled.From, settled.To, settled.Among, settled.Source = true, true, true, rollup.Source{Settled: true, Unsettled: true, Remade: true}
	querytest.Statements(t, statements,
		querytest.NewStatement("tools_report", "tools_report", tools(grouping.Whole)),
		querytest.NewStatement("tools_report_narrowed", "tools_report", narrowed),
		querytest.NewStatement("tools_report_settled", "tools_report", settled),
		querytest.NewStatement("tools_slowest", "tools_slowest", tools(grouping.Whole)),
		querytest.NewStatement("tools_unclosed", "tools_unclosed", tools(grouping.Whole)),
		querytest.NewStatement("tools_usual", "tools_usual", tools(grouping.Whole)),
	)
}
