package grafana

import (
	"maps"
	"slices"
)

// Variable is a choice at the head of a dashboard. One with neither a source nor a query is a text.
type Variable struct {
	Name, Label string
	Source      string // the type of data source to choose
	PromQL, SQL string // what returns the values to choose from; several can be chosen, or all
	Text        string
}

var (
	choosePrometheus = Variable{Name: "prometheus", Label: "Prometheus", Source: "prometheus"}
	chooseClickHouse = Variable{Name: "clickhouse", Label: "ClickHouse", Source: "grafana-clickhouse-datasource"}
	uiAddress        = Variable{Name: "ui_url", Label: "UI", Text: "http://127.0.0.1:4600"}

	tenant = Variable{Name: "tenant", Label: "Tenant", SQL: "SELECT DISTINCT tenant FROM reports_sessions ORDER BY tenant"}
	tag    = Variable{Name: "tag", Label: "Tag", SQL: "SELECT DISTINCT arrayJoin(tags) AS tag FROM reports_sessions WHERE $__timeFilter_ms(last_at) ORDER BY tag LIMIT 1000"}
	model  = Variable{Name: "model", Label: "Model", SQL: "SELECT DISTINCT model FROM reports_usage WHERE $__timeFilter_ms(at) ORDER BY model LIMIT 1000"}
)

func (v *Variable) object() object {
	o := object{"name": v.Name, "label": v.Label, "hide": 0, "skipUrlSync": false}
	switch {
	case v.Source != "":
		o["type"], o["query"] = "datasource", v.Source
		o["regex"], o["refresh"], o["multi"], o["includeAll"] = "", 1, false, false
		o["options"], o["current"] = []object{}, object{"text": "", "value": ""} // Grafana takes the first
	case v.SQL != "" || v.PromQL != "":
		all := object{"text": []string{"All"}, "value": []string{"$__all"}, "selected": true}
		o["type"], o["multi"], o["includeAll"], o["current"], o["options"] = "query", true, true, all, []object{}
		o["regex"], o["sort"], o["refresh"] = "", 1, 2 // read anew when the time range changes
		if v.SQL != "" {
			o["datasource"], o["query"] = clickhouseSource, v.SQL
		} else {
			o["datasource"], o["query"] = prometheusSource, object{"query": v.PromQL, "refId": v.Name}
			o["allValue"] = ".*"
		}
	default:
		o["type"], o["query"] = "textbox", v.Text
		o["current"] = object{"text": v.Text, "value": v.Text, "selected": true}
		o["options"] = []object{{"text": v.Text, "value": v.Text, "selected": true}}
	}
	return o
}

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
