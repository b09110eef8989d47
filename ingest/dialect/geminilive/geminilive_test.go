package geminilive

import (
	"testing"

	"github.com/valyala/fastjson"
	"go.uber.org/goleak"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestCases(t *testing.T) { dialecttest.Run(t, Dialect, "testdata/cases") }

func FuzzDecode(f *testing.F) { dialecttest.Fuzz(f, Dialect, "testdata/cases") }

func TestMatch(t *testing.T) {
	for text, want := range map[string]dialect.Confidence{
		`{"serverContent":{"modelTurn":{"parts":[]}}}`:                    dialect.Certain,
		`{"serverContent":{"turnComplete":true},"usageMetadata":{}}`:      dialect.Certain,
		`{"toolCall":{"functionCalls":[]}}`:                               dialect.Certain,
		`{"setup":{"model":"models/gemini-2.0-flash-live-001"}}`:          dialect.Certain,
		`{"setupComplete":{}}`:                                            dialect.Likely,
		`{"usageMetadata":{"promptTokenCount":1,"responseTokenCount":2}}`: dialect.Likely,
		`{"usageMetadata":{"promptTokenCount":1},"candidates":[]}`:        dialect.No,
		`{"toolCall":{"toolType":"FILE_SEARCH"}}`:                         dialect.No,
		`{"serverContent":"x"}`:                                           dialect.No,
		`[]`:                                                              dialect.No,
	} {
		in := dialect.Input{Frame: &schema.Frame{}, Data: []byte(text), JSON: fastjson.MustParse(text)}
		if got, why := match(&in); got != want || (why == "") != (got == dialect.No) {
			t.Errorf("%s: %d (%q), want %d", text, got, why, want)
		}
	}
}
