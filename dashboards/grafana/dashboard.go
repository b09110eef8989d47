package grafana

import (
	"bytes"
	"encoding/json"
)

// Dashboard is one dashboard. Panels are arranged from left to right in rows of equal height.
type Dashboard struct {
	UID, Title, About string
	From              string // the start of the time range, such as now-24h
	Variables         []Variable
	Panels            []Panel
}

// object is a JSON object; encoding/json writes its keys in order.
type object = map[string]any

// schemaVersion is the version of Grafana 11's dashboards; later versions of Grafana migrate a dashboard when they load it.
const schemaVersion = 39

const columns = 24

// JSON returns the dashboard as Grafana reads it.
func (d *Dashboard) JSON() ([]byte, error) {
	panels, x, y, height := []object{}, 0, 0, 0
	for i := range d.Panels {
		p := &d.Panels[i]
		if x+p.Width > columns {
			x, y, height = 0, y+height, 0
		}
		panels = append(panels, p.object(i+1, x, y))
		x, height = x+p.Width, max(height, p.Height)
	}
	variables := []object{}
	for _, v := range d.Variables {
		variables = append(variables, v.object())
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(object{
		"uid": d.UID, "title": d.Title, "description": d.About, "tags": []string{"tapedeck"},
		"schemaVersion": schemaVersion, "version": 1, "editable": true, "graphTooltip": 1, "refresh": "1m", "timezone": "browser",
		"time":       object{"from": d.From, "to": "now"},
		"templating": object{"list": variables},
		"panels":     panels,
		"links": []object{
			{"type": "dashboards", "title": "tapedeck", "tags": []string{"tapedeck"}, "asDropdown": true, "includeVars": true, "keepTime": true, "targetBlank": false, "icon": "external link", "tooltip": "", "url": ""},
			{"type": "link", "title": "UI", "url": "${ui_url}", "tags": []string{}, "asDropdown": false, "includeVars": false, "keepTime": false, "targetBlank": true, "icon": "external link", "tooltip": "The UI of tapedeck"},
		},
		"annotations": object{"list": []object{}},
	})
	return b.Bytes(), err
}

// All are the dashboards by the names of their files.
func All() map[string]*Dashboard {
	return map[string]*Dashboard{
		"pipeline.json": pipeline(), "usage.json": usage(), "tools.json": tools(), "calls.json": calls(), "sessions.json": sessions(),
	}
}
