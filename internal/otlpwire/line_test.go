package otlpwire

import (
	"errors"
	"strings"
	"testing"

	"github.com/valyala/fastjson"
)

func lineOf(t *testing.T, text string) (*Export, error) {
	t.Helper()
	return Line(fastjson.MustParse(text))
}

func TestLine(t *testing.T) {
	const ids = `"traceId":"0AF7651916cd43dd8448eb211c80319c","spanId":"00000000000000a2"`
	e, err := lineOf(t, `{`+ids+`,"parentSpanContext":{"spanId":"00000000000000a1"},"name":"n","startTime":[1767225600,5],"endTime":["1767225601",999999999],
		"attributes":{"text":"a","number":7,"fraction":0.5,"no":false,"list":["x",{"deep":1}],"nothing":null},
		"status":{"code":2,"message":"broken"},"events":[{"name":"exception","time":[1767225600,6],"attributes":{"exception.message":"m"}}],
		"resource":{"attributes":{"service.name":"s"}},"instrumentationScope":{"name":"scope"}}`)
	if err != nil || e.Count() != 1 || e.Signal != Traces {
		t.Fatal(e, err)
	}
	item := e.Groups[0].Scopes[0].Items[0]
	if item.TraceID != "0af7651916cd43dd8448eb211c80319c" || item.ParentID != "00000000000000a1" || item.Name != "n" ||
		item.Start != 1767225600_000000005 || item.End != 1767225601_999999999 || !item.Failed || item.Status != "broken" {
		t.Errorf("%+v", item)
	}
	if got := string(item.Attributes.AppendJSON(nil)); got != `{"text":"a","number":7,"fraction":0.5,"no":false,"list":["x",{"deep":1}],"nothing":null}` {
		t.Error(got)
	}
	if len(item.Events) != 1 || item.Events[0].At != 1767225600_000000006 || item.Events[0].Attributes.Text("exception.message") != "m" {
		t.Errorf("%+v", item.Events)
	}
	if g := e.Groups[0]; g.Resource.Text("service.name") != "s" || g.Scopes[0].Name != "scope" {
		t.Errorf("%+v", g)
	}

	e, err = lineOf(t, `{"hrTime":[1767225600,0],"spanContext":{`+ids+`},"body":"text","attributes":{"event.name":"x"}}`)
	if err != nil || e.Signal != Logs || e.Groups[0].Scopes[0].Items[0].Body.Text() != "text" ||
		e.Groups[0].Scopes[0].Items[0].SpanID != "00000000000000a2" {
		t.Fatal(e, err)
	}
}

// Times that are no pairs, or that nanoseconds cannot hold, are none.
func TestLineTimes(t *testing.T) {
	for _, pair := range []string{
		`1767225600`, `"x"`, `[]`, `[1]`, `[1,2,3]`, `[-1,0]`, `[1,-1]`, `[1,1000000000]`, `[9223372036,0]`, `[1e300,0]`, `[null,0]`, `[0.5,0]`,
	} {
		if at := pairTime(fastjson.MustParse(pair)); at != 0 {
			t.Errorf("%s: %d", pair, at)
		}
	}
}

func TestNoLine(t *testing.T) {
	for _, text := range []string{
		`{}`, `[]`, `7`, `{"attributes":[]}`, `{"attributes":{}}`, `{"attributes":{},"traceId":"0af7651916cd43dd8448eb211c80319c","startTime":[1,0],"endTime":[1,0]}`,
	} {
		if e, err := lineOf(t, text); e != nil || err != nil {
			t.Errorf("%s: %+v, %v", text, e, err)
		}
	}
	bound := &BoundError{}
	if _, err := lineOf(t, `{"hrTime":[1,0],"attributes":{"a":[`+strings.Repeat("1,", MaxValues)+`1]}}`); !errors.As(err, &bound) {
		t.Error(err)
	}
	deep := `{"hrTime":[1,0],"attributes":{"a":` + strings.Repeat(`[`, 200) + strings.Repeat(`]`, 200) + `}}`
	if e, err := lineOf(t, deep); err != nil || e.Count() != 1 {
		t.Error(e, err)
	}
}
