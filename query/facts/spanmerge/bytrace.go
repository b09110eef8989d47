package spanmerge

import (
	"encoding/json"
	"strings"

	"tapedeck/schema"
)

// idsByTrace returns the ids of the facts that spans of OpenTelemetry have under another id, by the id that
// schema.TraceSpan makes: a call of a tool has the id of the call. A request that brings a span below such a
// call, without the call, names it by its trace. The map is nil unless a span has a parent that no fact is.
func idsByTrace(views []Span) map[string]string {
	known := make(map[string]bool, len(views))
	for i := range views {
		known[views[i].ID] = true
	}
	missing := map[string]bool{}
	for i := range views {
		if p := views[i].Parent; strings.HasPrefix(p, schema.TraceSpanPrefix) && !known[p] {
			missing[p] = true
		}
	}
	if len(missing) == 0 {
		return nil
	}
	ids := map[string]string{}
	for i := range views {
		v := &views[i]
		if strings.HasPrefix(v.ID, schema.TraceSpanPrefix) || !strings.Contains(v.Attributes, `"trace_id"`) {
			continue
		}
		var of struct {
			Trace string `json:"trace_id"`
			Span  string `json:"span_id"`
		}
		if json.Unmarshal([]byte(v.Attributes), &of) != nil {
			continue
		}
		if id := schema.TraceSpan(of.Trace, of.Span); missing[id] {
			ids[id] = v.ID
		}
	}
	return ids
}
