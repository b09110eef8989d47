package grafana

import "strings"

// Kinds of panels, by the ids of Grafana's plugins.
const (
	timeSeries = "timeseries"
	stat       = "stat"
	table      = "table"
	bars       = "barchart"
)

// Panel shows the answers of its queries.
type Panel struct {
	Kind, Title, About string
	Unit               string // an id of Grafana's units
	Width, Height      int
	Stacked            bool
	Queries            []Query
	// Units holds the units of a table's columns, by the names of the columns.
	Units map[string]string
	// SessionLink has the values of the column session lead to the session in the UI.
	SessionLink bool
}

// Query is a PromQL expression or a statement of ClickHouse.
type Query struct {
	Expr, Legend string // PromQL, and the name of a series
	SQL          string
}

// The sources are variables, so that a reader of a dashboard can choose another.
var (
	prometheusSource = object{"type": "prometheus", "uid": "${prometheus}"}
	clickhouseSource = object{"type": "grafana-clickhouse-datasource", "uid": "${clickhouse}"}
)

func (p *Panel) source() object {
	if p.Queries[0].SQL != "" {
		return clickhouseSource
	}
	return prometheusSource
}

func (p *Panel) object(id, x, y int) object {
	targets := []object{}
	for i, q := range p.Queries {
		targets = append(targets, q.object(string(rune('A'+i)), p.Kind))
	}
	return object{
		"id": id, "type": p.Kind, "title": p.Title, "description": p.About, "datasource": p.source(),
		"gridPos":     object{"x": x, "y": y, "w": p.Width, "h": p.Height},
		"targets":     targets,
		"fieldConfig": object{"defaults": p.defaults(), "overrides": p.overrides()},
		"options":     p.options(),
	}
}

func (q *Query) object(ref, kind string) object {
	if q.SQL == "" {
		return object{"refId": ref, "datasource": prometheusSource, "expr": q.Expr, "legendFormat": q.Legend, "editorMode": "code", "range": kind == timeSeries, "instant": kind != timeSeries}
	}
	// The plugin's formats: 0 makes series of the columns, one for each value of a text; 1 is a table.
	format, is := 1, "table"
	if kind == timeSeries {
		format, is = 0, "timeseries"
	}
	return object{"refId": ref, "datasource": clickhouseSource, "editorType": "sql", "queryType": is, "format": format, "rawSql": strings.TrimSpace(q.SQL)}
}

func (p *Panel) defaults() object {
	d := object{"unit": p.Unit, "min": 0, "color": object{"mode": "palette-classic"}}
	switch p.Kind {
	case timeSeries:
		custom := object{"drawStyle": "line", "fillOpacity": 10, "lineWidth": 1, "showPoints": "auto", "spanNulls": false, "stacking": object{"mode": "none", "group": "A"}}
		if p.Stacked {
			custom["drawStyle"], custom["fillOpacity"], custom["stacking"] = "bars", 80, object{"mode": "normal", "group": "A"}
		}
		d["custom"] = custom
		if p.Queries[0].SQL != "" {
			d["displayName"] = "${__field.labels.series}"
		}
	case stat:
		d["color"] = object{"mode": "fixed", "fixedColor": "blue"}
	case table:
		delete(d, "min")
	}
	return d
}

func (p *Panel) overrides() []object {
	list := []object{}
	for _, name := range sortedKeys(p.Units) {
		list = append(list, object{"matcher": object{"id": "byName", "options": name}, "properties": []object{{"id": "unit", "value": p.Units[name]}}})
	}
	if p.SessionLink {
		list = append(list, object{"matcher": object{"id": "byName", "options": "session"}, "properties": []object{
			{"id": "links", "value": []object{{"title": "Open the session", "url": "${ui_url}/sessions/${__value.raw:percentencode}", "targetBlank": true}}},
		}})
	}
	return list
}

func (p *Panel) options() object {
	switch p.Kind {
	case timeSeries:
		return object{
			"legend":  object{"displayMode": "list", "placement": "bottom", "showLegend": true, "calcs": []string{}},
			"tooltip": object{"mode": "multi", "sort": "desc"},
		}
	case stat:
		return object{
			"reduceOptions": object{"calcs": []string{"lastNotNull"}, "fields": "", "values": false},
			"colorMode":     "value", "graphMode": "none", "justifyMode": "auto", "orientation": "auto", "textMode": "auto", "wideLayout": true,
		}
	case bars:
		return object{
			"orientation": "horizontal", "showValue": "auto", "stacking": "none", "groupWidth": 0.7, "barWidth": 0.9, "fullHighlight": false, "xTickLabelRotation": 0, "xTickLabelSpacing": 0,
			"legend":  object{"displayMode": "list", "placement": "bottom", "showLegend": false, "calcs": []string{}},
			"tooltip": object{"mode": "single", "sort": "none"},
		}
	}
	return object{"showHeader": true, "cellHeight": "sm", "footer": object{"show": false, "reducer": []string{"sum"}, "countRows": false}}
}
