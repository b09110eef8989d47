package agui_test

import (
	"testing"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/capturetest"
	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/agui"
	"tapedeck/ingest/dialect/dialects"
	"tapedeck/schema"
)

func TestCaptures(t *testing.T) { capturetest.Run(t, agui.Dialect, "testdata/captures") }

// All dialects together recognise the captures as AG-UI.
func TestRecognised(t *testing.T) {
	for _, name := range []string{
		"ag_ui/backend_tool_turn1.json",
		"ag_ui/interrupt_turn1.json",
		"ag_ui/interrupt_turn2_resume.json",
		"ag_ui/sse_edge_cases.sse.txt",
	} {
		r := dialects.NewRecogniser()
		for _, f := range capturetest.Cut(t, name, "") {
			content, _ := schema.Unframe(&f, nil)
			in := dialect.Input{Frame: &f, Data: content.Data, Event: content.Event, ID: content.ID}
			if fastjson.ValidateBytes(in.Data) == nil {
				in.JSON = fastjson.MustParseBytes(in.Data)
			}
			if r.Observe(&in) {
				break
			}
		}
		if d, evidence := r.Settle(); d.Name != "ag-ui" {
			t.Errorf("%s is taken for %s: %s", name, d.Name, evidence)
		}
	}
}
