package vercelui_test

import (
	"testing"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/capturetest"
	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/dialects"
	"tapedeck/ingest/dialect/vercelui"
	"tapedeck/schema"
)

func TestCaptures(t *testing.T) { capturetest.Run(t, vercelui.Dialect, "testdata/captures") }

// All dialects together recognise the captures as this dialect.
func TestRecognised(t *testing.T) {
	for _, name := range []string{
		"vercel_ui/run_web_search_reasoning.sse",
		"vercel_ui/tool_error_retry_error.sse",
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
		if d, evidence := r.Settle(); d.Name != "vercel-ui" {
			t.Errorf("%s is taken for %s: %s", name, d.Name, evidence)
		}
	}
}
