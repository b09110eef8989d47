package adk

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
	for line, want := range map[string]dialect.Confidence{
		`{"invocationId":"e-1","author":"a","id":"x","actions":{}}`:                                    dialect.Certain,
		`{"invocationId":"e-1","author":"a","content":{"parts":[{"text":"x"}]}}`:                       dialect.Certain,
		`{"invocationId":"e-1","author":"a"}`:                                                          dialect.Likely,
		`{"invocationId":"e-1"}`:                                                                       dialect.No,
		`{"author":"a","content":{"parts":[]}}`:                                                        dialect.No,
		`{"candidates":[{"content":{"parts":[{"text":"x"}]}}],"usageMetadata":{"promptTokenCount":1}}`: dialect.No,
		`[]`: dialect.No,
	} {
		in := dialect.Input{Frame: &schema.Frame{}, JSON: fastjson.MustParse(line)}
		if got, why := match(&in); got != want || (why == "") != (got == dialect.No) {
			t.Errorf("%s: %d (%q), want %d", line, got, why, want)
		}
	}
}

func TestTime(t *testing.T) {
	in := dialect.Input{JSON: fastjson.MustParse(`{"timestamp":1750939268.218085}`)}
	if at := timeOf(&in); at != 1750939268218085000 {
		t.Errorf("%d", at)
	}
}
