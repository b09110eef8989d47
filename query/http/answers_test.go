package queryhttp_test

import (
	"bytes"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"tapedeck/query"
	"tapedeck/query/billing/charges"
	"tapedeck/query/compare"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/querytest"
	"tapedeck/query/report/toolreport"
	"tapedeck/query/report/usagereport"
	"tapedeck/query/session/sessiondetail"
	"tapedeck/query/session/sessionframes"
	"tapedeck/query/session/timeline"
	"tapedeck/query/session/transcript"
	"tapedeck/schema"
)

// ns is the time after the recordings begin.
func ns(after time.Duration) int64 { return querytest.At(after) }

// conversation is a session with something of everything.
func conversation() querytest.Recording {
	fact := func(id string) schema.Fact {
		return schema.Fact{ID: id, Run: "run-1", Node: "run-think-0", Agent: "main"}
	}
	frames := []string{
		`{"type":"run_start","session_id":"run-1"}` + "\n", `{"type":"message_chunk","content":"é<>&"}` + "\n",
		"not json\n", "\n", "\xff\xfe\n", `{"type":"tool_start"}` + "\n", `{"type":"run_end"}`,
	}
	r := querytest.Recording{
		Session: "talk/1", Stream: 1,
		State: schema.StreamState{
			Title: "Hello <there>", Tags: map[string]string{"customer": "c1"}, Evidence: "its first line", Source: "stdin",
			Counters: schema.Counters{NotJSON: 2, InvalidUTF8: 1, Lost: 1},
		},
		Spans: []schema.Span{
			{Fact: fact("run"), Kind: schema.SpanRun, Status: schema.StatusOK, Started: ns(0), Ended: ns(6 * time.Second)},
			{Fact: fact("node"), Kind: schema.SpanNode, Parent: "run", Name: "think", Status: schema.StatusOK, Started: ns(0), Ended: ns(5 * time.Second)},
			{
				Fact: fact("llm"), Kind: schema.SpanLLM, Parent: "node", Name: "gpt-5", Model: "gpt-5", Provider: "openai", Status: schema.StatusOK,
				Started: ns(time.Second), Ended: ns(2 * time.Second), FirstToken: ns(1500 * time.Millisecond), Attributes: `{"stop":"tool"}`,
			},
			{
				Fact: fact("tool"), Kind: schema.SpanTool, Parent: "node", Name: "bash", CallID: "call_1", Status: schema.StatusError, Error: "exit 1",
				Started: ns(3 * time.Second), Ended: ns(4 * time.Second), Duration: 7e8,
			},
			{Fact: fact("hung"), Kind: schema.SpanTool, Parent: "nowhere", Name: "bash", Status: schema.StatusUnclosed, Started: ns(4 * time.Second), Ended: ns(6 * time.Second)},
		},
		Messages: []schema.Message{
			{Fact: fact("m1"), Kind: schema.MessageUser, Text: "Hello <there>", Media: "text", Complete: true, Started: ns(0), Ended: ns(0)},
			{
				Fact: fact("m2"), Kind: schema.MessageAssistant, Span: "llm", Text: "Hi!", Media: "text", Complete: true, Attributes: `{"a":1}`,
				Started: ns(1500 * time.Millisecond), Ended: ns(2 * time.Second), ChunkAt: []int64{ns(1500 * time.Millisecond), ns(2 * time.Second)}, ChunkEnd: []uint32{1, 3},
			},
		},
		Usages: []schema.Usage{
			{Fact: fact("u1"), Scope: "u1", Mode: schema.UsageAdd, At: ns(2 * time.Second), Span: "llm", Model: "gpt-5", Provider: "openai", Tokens: schema.Tokens{Input: 10, Output: 2}, Total: 13, Raw: `{"total_tokens":13}`},
			{Fact: fact("u2"), Scope: "u2", Mode: schema.UsageAdd, At: ns(2 * time.Second), Tokens: schema.Tokens{Output: 1}},
		},
	}
	for i, raw := range frames {
		f := schema.Frame{Seq: uint64(i), At: ns(time.Duration(i) * time.Second), Raw: []byte(raw)}
		f.Type, f.Run, f.Session = fmt.Sprint("type", i%2), "run-1", "run-1"
		switch i {
		case 2:
			f.Flags = schema.FlagNotJSON
		case 3:
			f.Flags = schema.FlagNote
		case 4:
			f.Flags = schema.FlagNotJSON | schema.FlagInvalidUTF8
		}
		r.Frames = append(r.Frames, f)
	}
	return r
}

var talk = "/v1/sessions/" + url.PathEscape("talk/1")

// Every answer is held against the document by ask; here is looked at what the
// parameters do.
func TestAnswers(t *testing.T) {
	db := querytest.New(t)
	other := conversation()
	other.Session, other.Stream, other.Live = "live", 2, true
	other.State.Tags, other.State.Title = map[string]string{"customer": "c2"}, "Another"
	db.Add(conversation(), other)
	a := serve(t, db.Tenant, query.NewReader(db.Conn, query.WithClock(func() time.Time { return now })))

	for path, want := range map[string]string{
		"":                                   "live talk/1",
		"?limit=1":                           "talk/1",
		"?q=HELLO":                           "talk/1",
		"?q=%27%20OR%201%3D1":                "",
		"?tag=customer:c2":                   "live",
		"?tag=customer":                      "live talk/1",
		"?tag=customer&tag=customer:c1":      "talk/1",
		"?agent=main&tool=bash&model=gpt-5":  "live talk/1",
		"?agent=nobody&agent=main":           "live talk/1",
		"?agent=nobody":                      "",
		"?dialect=loom&dialect=x":            "live talk/1",
		"?dialect=x":                         "",
		"?min_duration=6s&max_duration=6s":   "live talk/1",
		"?min_duration=6001ms":               "",
		"?max_duration=5.9s":                 "",
		"?min_tokens=13&max_tokens=13":       "live talk/1",
		"?min_tokens=14":                     "",
		"?max_tokens=0":                      "",
		"?sort=-tokens":                      "talk/1 live",
		"?status=ok":                         "live talk/1",
		"?status=running,incomplete":         "",
		"?from=now-2h":                       "live talk/1",
		"?from=now-59m":                      "",
		"?from=2026-03-02":                   "live talk/1",
		"?to=2026-03-02T10:00:00Z":           "",
		"?from=2026-03-02T11:00:00+01:00":    "live talk/1", // the "+" arrives as a space
		"?from=2026-03-02T11:00:00%2B01:00":  "live talk/1",
		"?to=2026-03-02T10:00:00.000000001Z": "live talk/1",
		"?sort=started":                      "live talk/1",
		"?sort=-duration&status=":            "talk/1 live",
	} {
		page := get[query.Page[sessionhead.Summary]](a, "/v1/sessions"+path)
		var ids []string
		for _, s := range page.Items {
			ids = append(ids, s.ID)
		}
		if got := strings.Join(ids, " "); !sameWords(got, want) {
			t.Errorf("/v1/sessions%s: %q, want %q", path, got, want)
		}
		if (page.Next != nil) != (path == "?limit=1") {
			t.Errorf("/v1/sessions%s: next is %v", path, page.Next)
		}
	}

	detail := get[sessiondetail.Detail](a, talk)
	if detail.ID != "talk/1" || len(detail.Runs) != 1 || *detail.Runs[0].Message != "Hello <there>" || len(detail.Discrepancies) != 6 {
		t.Errorf("session: %+v", detail)
	}
	first := get[charges.Page](a, "/v1/usage/calls?limit=3&q=hello&what_if_model=gpt-5")
	if len(first.Items) != 2 || first.Next != nil || first.Items[0].SessionID != "talk/1" || *first.Items[0].StatedTotal != 13 || first.Items[0].Tags["customer"] != "c1" {
		t.Errorf("charges: %+v", first)
	}
	a.ask("GET", "/v1/usage/calls?format=csv")
	a.ask("GET", "/v1/usage/calls?format=parquet")
	a.ask("GET", "/v1/usage/calls?format=cloudevents&tag=customer:c1")
	compared := get[compare.Comparison](a, "/v1/compare?a=talk/1&b=live")
	if compared.A.SessionID != "talk/1" || compared.B.SessionID != "live" || len(compared.Steps) == 0 {
		t.Errorf("comparison: %+v", compared)
	}
	for i := range compared.Steps {
		row := get[compare.Comparison](a, "/v1/compare?a=talk/1&b=live&exact=1&row="+strconv.Itoa(i))
		if len(row.Steps) != 1 || row.Steps[0].Index != i {
			t.Errorf("row %d: %+v", i, row.Steps)
		}
	}
	if brief := get[compare.Comparison](a, "/v1/compare?a=talk/1&b=talk/1&brief=1"); len(brief.Steps) != 0 || !brief.Summary.Identical {
		t.Errorf("a session with itself: %+v", brief)
	}
	for _, path := range []string{"/v1/compare?a=talk/1&b=none", "/v1/compare?a=none&b=talk/1"} {
		if status, _, body := a.ask("GET", path); status != 404 || decodeProblem(t, body).Detail != `There is no session "none".` {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	timeline := get[timeline.Timeline](a, talk+"/timeline")
	if len(timeline.Spans) != 2 || len(timeline.Usage) != 1 || len(timeline.Gaps) != 1 || timeline.Spans[0].Children[0].Children[0].Tokens.Total != 12 {
		t.Errorf("timeline: %+v", timeline)
	}
	if density := get[sessionframes.Density](a, talk+"/density?slices=3"); len(density.Frames) != 3 || density.First[0] == nil {
		t.Errorf("density: %+v", density)
	}
	if messages := get[query.Page[transcript.Message]](a, talk+"/transcript?chunks=1&limit=1"); len(messages.Items) != 1 || messages.Items[0].Chunks == nil || messages.Next == nil {
		t.Errorf("transcript: %+v", messages)
	} else if rest := get[query.Page[transcript.Message]](a, talk+"/transcript?cursor="+*messages.Next); len(rest.Items) != 1 || rest.Items[0].Text != "Hi!" {
		t.Errorf("the rest of the transcript: %+v", rest)
	}
	for path, want := range map[string]int{
		"": 7, "?limit=3": 3, "?type=type0": 4, "?type=type0,type1": 7, "?agent=x": 0, "?node=think": 0, "?direction=send": 0, "?direction=receive,send": 7,
	} {
		if page := get[query.Page[sessionframes.Frame]](a, talk+"/frames"+path); len(page.Items) != want {
			t.Errorf("frames%s: %d, want %d", path, len(page.Items), want)
		}
	}
	if index := get[sessionframes.Index](a, talk+"/frames/index?every=100&type=type0"); index.Total != 4 || len(index.Items) != 0 {
		t.Errorf("index of frames: %+v", index)
	}
	if types := get[sessionframes.Types](a, talk+"/frames/types"); len(types.Items) != 2 || types.Items[0].Frames != 4 {
		t.Errorf("types of frames: %+v", types)
	}
	for i, f := range get[query.Page[sessionframes.Frame]](a, talk+"/frames").Items {
		whole := get[sessionframes.WholeFrame](a, talk+"/frames/"+f.Position)
		if want := conversation().Frames[i].Raw; !bytes.Equal(whole.Raw, want) || whole.Position != f.Position {
			t.Errorf("frame %s: %q, want %q", f.Position, whole.Raw, want)
		}
	}
	if status, _, body := a.ask("GET", talk+"/frames/1.019cad0a-0000-7000-8000-000000000001.0"); status != 404 {
		t.Errorf("a frame where there is none: %d %s", status, body)
	}
	usage := get[usagereport.Report](a, "/v1/usage?group_by=session,tag:customer,model&granularity=month&timezone=Europe/Berlin&from=2026-03-01&to=now")
	if len(usage.Items) != 4 || usage.Totals.Tokens.Total != 26 || usage.Timezone != "Europe/Berlin" || usage.From.Format(time.RFC3339) != "2026-02-28T23:00:00Z" {
		t.Errorf("usage: %+v", usage)
	}
	tools := get[toolreport.Report](a, "/v1/tools?slowest=1")
	if len(tools.Items) != 1 || *tools.Items[0].Group["tool"] != "bash" || *tools.Totals.P50MS != 700 || len(tools.Slowest) != 1 {
		t.Errorf("tools: %+v", tools)
	}
	if tools = get[toolreport.Report](a, "/v1/tools?group_by=&granularity=hour"); len(tools.Items) != 1 || len(tools.Items[0].Group) != 0 {
		t.Errorf("tools in one group: %+v", tools)
	}

	if status, _, body := a.ask("DELETE", talk+"?limit=1"); status != 400 {
		t.Errorf("delete with a parameter: %d %s", status, body)
	}
	db.Merge()
	if status, _, body := a.ask("DELETE", talk); status != 204 || len(body) != 0 {
		t.Errorf("delete: %d %s", status, body)
	}
	if status, _, _ := a.ask("GET", talk); status != 404 {
		t.Errorf("after its deletion the session answers %d", status)
	}
	if page := get[query.Page[sessionhead.Summary]](a, "/v1/sessions"); len(page.Items) != 1 {
		t.Errorf("after the deletion: %+v", page)
	}
}

// sameWords compares lists whose order two sessions of the same start leave open.
func sameWords(got, want string) bool {
	if got == want {
		return true
	}
	g, w := strings.Fields(got), strings.Fields(want)
	return len(g) == 2 && len(w) == 2 && g[0] == w[1] && g[1] == w[0]
}

func TestCSV(t *testing.T) {
	db := querytest.Open(t)
	rec := conversation()
	rec.Usages[0].Agent = `the "main", one`
	db.Add(rec)
	a := serve(t, db.Tenant, query.NewReader(db.Conn))
	status, header, body := a.ask("GET", "/v1/usage?format=csv&group_by=agent,model&granularity=day&from=2026-03-02&to=2026-03-03T00:15:00Z&timezone=Asia/Kathmandu")
	if status != 200 || header.Get("Content-Type") != "text/csv; charset=utf-8; header=present" {
		t.Fatalf("%d %s", status, header.Get("Content-Type"))
	}
	const noModel = `"[{""reason"":""no_model"",""model"":null,""calls"":1,""tokens"":1}]"`
	want := strings.Join([]string{
		"period,agent,model,calls,input,cache_read,cache_write_5m,cache_write_1h,output,reasoning,total,cost,currency,unpriced_calls,unpriced_tokens,repriced_cost,what_if_cost,repriced_currency,stated_cost,stated_currency,stated_calls,usage_discrepancies,repriced_unpriced_calls,what_if_unpriced_calls,unpriced_reasons,repriced_unpriced_reasons,what_if_unpriced_reasons,priced_as,from,to,timezone",
		"2026-03-02,main,unknown,1,0,0,0,0,1,0,1,,USD,1,1,,,,,,0,0,0,0," + noModel + ",,,,2026-03-02T00:00:00+05:45,2026-03-03T06:00:00+05:45,Asia/Kathmandu",
		`2026-03-02,"the ""main"", one",gpt-5,1,10,0,0,0,2,0,12,0.0000325,USD,0,0,,,,,,0,1,0,0,,,,,2026-03-02T00:00:00+05:45,2026-03-03T06:00:00+05:45,Asia/Kathmandu`,
		"total,,,2,10,0,0,0,3,0,13,0.0000325,USD,1,1,,,,,,0,1,0,0," + noModel + ",,,,2026-03-02T00:00:00+05:45,2026-03-03T06:00:00+05:45,Asia/Kathmandu", "",
	}, "\r\n")
	if string(body) != want {
		t.Errorf("got\n%s\nwant\n%s", body, want)
	}
	if name := header.Get("Content-Disposition"); name != `attachment; filename="usage_2026-03-02_2026-03-03T06-00_Asia-Kathmandu_by-agent-model.csv"` {
		t.Errorf("Content-Disposition: %s", name)
	}
	status, header, body = a.ask("GET", "/v1/tools?format=csv&group_by=tool,agent&granularity=day")
	if status != 200 || header.Get("Content-Type") != "text/csv; charset=utf-8; header=present" {
		t.Fatalf("%d %s", status, header.Get("Content-Type"))
	}
	want = strings.Join([]string{
		"period,tool,agent,calls,errors,error_rate,open,timed,min_ms,avg_ms,p50_ms,p90_ms,p95_ms,p99_ms,max_ms,from,to,timezone",
		"2026-03-02,bash,main,2,1,0.5,1,1,700,700,700,700,700,700,700,,,UTC",
		"total,,,2,1,0.5,1,1,700,700,700,700,700,700,700,,,UTC", "",
	}, "\r\n")
	if string(body) != want {
		t.Errorf("got\n%s\nwant\n%s", body, want)
	}
}
