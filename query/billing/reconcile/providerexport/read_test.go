package providerexport

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// table writes the sums of an export as lines of "<day> <model>: <bucket> <sum>, …".
func table(e *Export) string {
	keys := slices.SortedFunc(maps.Keys(e.cells), func(a, b key) int { return strings.Compare(a.day+a.model, b.day+b.model) })
	lines := []string{fmt.Sprintf("%s, %s to %s, %d rows", e.Format, e.From, e.To, e.Rows)}
	for _, k := range keys {
		var figures []string
		for i, b := range Buckets {
			if e.buckets[b] {
				figures = append(figures, fmt.Sprintf("%s %s", b, e.cells[k].figure(i, b)))
			}
		}
		lines = append(lines, fmt.Sprintf("%s %s: %s", k.day, k.model, strings.Join(figures, ", ")))
	}
	return strings.Join(lines, "\n")
}

const openaiHead = "start_time,end_time,start_time_iso,end_time_iso,project_id,num_model_requests,user_id,api_key_id,model,batch,service_tier,input_tokens,output_tokens,input_cached_tokens,input_uncached_tokens\r\n"

// 1772323200 is 2026-03-01T00:00:00Z.
var exports = map[string]struct{ text, want string }{
	"OpenAI usage, minutes and keys of a day": {`{"object":"page","data":[
		{"object":"bucket","start_time":1772323200,"end_time":1772323260,"results":[
			{"object":"organization.usage.completions.result","input_tokens":1000,"output_tokens":50,"input_cached_tokens":600,"num_model_requests":2,"model":"gpt-5-2025-08-07","api_key_id":"key_a","batch":null},
			{"object":"organization.usage.completions.result","input_tokens":10,"output_tokens":5,"input_cached_tokens":0,"num_model_requests":1,"model":"gpt-5-2025-08-07","api_key_id":"key_b","batch":null}]},
		{"object":"bucket","start_time":1772409540,"end_time":1772409600,"results":[
			{"object":"organization.usage.completions.result","input_tokens":7,"output_tokens":3,"num_model_requests":1,"model":"gpt-5-2025-08-07"}]},
		{"object":"bucket","start_time":1772409600,"end_time":1772496000,"results":[]}],"has_more":true,"next_page":"page_x"}
		{"object":"page","data":[{"object":"bucket","start_time":1772496000,"end_time":1772582400,"results":[
			{"object":"organization.usage.completions.result","input_tokens":9,"output_tokens":1,"input_cached_tokens":2,"num_model_requests":1,"model":"gpt-4o"}]}],"has_more":false,"next_page":null}`,
		"OpenAI usage, 2026-03-01 to 2026-03-03, 4 rows\n" +
			"2026-03-01 gpt-5-2025-08-07: calls 4, input 417, cache_read 600, output 58\n" +
			"2026-03-03 gpt-4o: calls 1, input 7, cache_read 2, output 1"},
	"OpenAI usage as CSV, with a day of no usage": {openaiHead +
		"1772323200,1772409600,2026-03-01T00:00:00+00:00,2026-03-02T00:00:00+00:00,proj_a,10.0,user-a,key_a,gpt-4o-2024-08-06,FALSE,default,59200.0,10646.0,5760.0,53440.0\r\n" +
		"1772409600,1772496000,2026-03-02T00:00:00+00:00,2026-03-03T00:00:00+00:00,,,,,,,,,,,\r\n",
		"OpenAI usage, 2026-03-01 to 2026-03-02, 1 rows\n" +
			"2026-03-01 gpt-4o-2024-08-06: calls 10, input 53440, cache_read 5760, output 10646"},
	"OpenAI costs": {`[{"object":"page","data":[{"object":"bucket","start_time":1772323200,"end_time":1772409600,"results":[
			{"object":"organization.costs.result","amount":{"value":0.06,"currency":"usd"},"line_item":"gpt-5-2025-08-07, input","project_id":null},
			{"object":"organization.costs.result","amount":{"value":"1.50","currency":"usd"},"line_item":"gpt-5-2025-08-07, output","project_id":null},
			{"object":"organization.costs.result","amount":{"value":1e-7,"currency":"usd"},"line_item":"gpt-4o, input","project_id":null}]}]}]`,
		"OpenAI costs (JSON), 2026-03-01 to 2026-03-01, 3 rows\n" +
			"2026-03-01 gpt-4o: cost 0.0000001\n2026-03-01 gpt-5-2025-08-07: cost 1.56"},
	"OpenAI costs as CSV, of the whole organization": {"start_time,end_time,start_time_iso,end_time_iso,amount_value,amount_currency,line_item,project_id,organization_id,organization_name\n" +
		"1772323200,1772409600,2026-03-01T00:00:00+00:00,2026-03-02T00:00:00+00:00,0.5455665000000000,usd,,,org-x,Personal\n",
		"OpenAI costs (CSV), 2026-03-01 to 2026-03-01, 1 rows\n2026-03-01 : cost 0.5455665"},
	"Anthropic usage report": {`{"data":[{"starting_at":"2026-03-01T00:00:00Z","ending_at":"2026-03-02T00:00:00Z","results":[
			{"uncached_input_tokens":1500,"cache_creation":{"ephemeral_1h_input_tokens":1000,"ephemeral_5m_input_tokens":500},"cache_read_input_tokens":200,"output_tokens":70,
			 "server_tool_use":{"web_search_requests":10},"api_key_id":null,"workspace_id":null,"model":"claude-opus-4-20250514","service_tier":"standard","context_window":"0-200k"}]}],"has_more":false,"next_page":null}`,
		"Anthropic usage report, 2026-03-01 to 2026-03-01, 1 rows\n" +
			"2026-03-01 claude-opus-4-20250514: input 1500, cache_read 200, cache_write_5m 500, cache_write_1h 1000, output 70"},
	"Anthropic cost report, in cents": {`{"data":[{"starting_at":"2026-03-01T00:00:00Z","ending_at":"2026-03-02T00:00:00Z","results":[
			{"currency":"USD","amount":"123.78912","workspace_id":null,"description":"Claude Sonnet 4 Usage - Input Tokens","cost_type":"tokens","context_window":"0-200k","model":"claude-sonnet-4-20250514","service_tier":"standard","token_type":"uncached_input_tokens"},
			{"currency":"USD","amount":"100","workspace_id":null,"description":"Web Search","cost_type":"web_search","context_window":null,"model":null,"service_tier":null,"token_type":null}]}],"has_more":false}`,
		"Anthropic cost report, 2026-03-01 to 2026-03-01, 2 rows\n2026-03-01 : cost 1\n2026-03-01 claude-sonnet-4-20250514: cost 1.2378912"},
	"Claude Console usage": {"\ufeffusage_date_utc,model_version,api_key,workspace,usage_type,context_window,usage_input_tokens_no_cache,usage_input_tokens_cache_write_5m,usage_input_tokens_cache_write_1h,usage_input_tokens_cache_read,usage_output_tokens,web_search_count,inference_geo,speed\n" +
		"2026-03-01,claude-opus-4-20250514,app,\"Acme, Inc\",standard,≤ 200k,100,20,3,4000,50,0,global,\n" +
		"2026-03-01,claude-opus-4-20250514,other,Default,batch,≤ 200k,1,0,0,0,2,0,global,\n",
		"Claude Console usage (CSV), 2026-03-01 to 2026-03-01, 2 rows\n" +
			"2026-03-01 claude-opus-4-20250514: input 101, cache_read 4000, cache_write_5m 20, cache_write_1h 3, output 52"},
	"Claude Console cost": {"usage_date_utc,model,workspace,api_key,usage_type,context_window,token_type,cost_usd,list_price_usd,cost_type,inference_geo,speed,api_key_id,api_key_status\n" +
		"2026-03-01,Claude Haiku 4.5,Default,a,message,≤ 200k,input_no_cache,0.19,0.19,token,global,,apikey_x,active\n" +
		"2026-03-01,Claude Haiku 4.5,Default,a,message,≤ 200k,output,0.03,0.03,token,global,,apikey_x,active\n",
		"Claude Console cost (CSV), 2026-03-01 to 2026-03-01, 2 rows\n2026-03-01 Claude Haiku 4.5: cost 0.22"},
}

func TestRead(t *testing.T) {
	for name, x := range exports {
		t.Run(name, func(t *testing.T) {
			e, err := Read(strings.NewReader(x.text), Options{})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(x.want, table(e)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// An error names the line and the field.
func TestReadRefuses(t *testing.T) {
	console := strings.SplitAfter(exports["Claude Console usage"].text, "\n")
	page := func(bucket string) string { return "{\n\"data\": [\n" + bucket + "\n]}" }
	for name, x := range map[string]struct {
		text, want string
		opts       Options
	}{
		"nothing":             {"", "it is empty", Options{}},
		"another file":        {"a,b\n1,2\n", "line 1: no known export has these fields: OpenAI's have start_time, Anthropic's starting_at or usage_date_utc", Options{}},
		"another provider":    {console[0] + console[1], "line 1: it is an export of anthropic (Claude Console usage (CSV)), not of openai", Options{Provider: OpenAI}},
		"a missing column":    {strings.Replace(console[0], "usage_output_tokens,", "", 1), `line 1, field "usage_output_tokens": it is missing: Claude Console usage (CSV) has it`, Options{}},
		"an unknown column":   {strings.Replace(console[0], "speed", "colour", 1), `line 1, field "colour": it is not known in Claude Console usage (CSV): name it with --ignore to leave it out`, Options{}},
		"a column twice":      {strings.Replace(console[0], "speed", "workspace", 1), `line 1, field "workspace": the column occurs twice`, Options{}},
		"no rows":             {console[0], "it has no usage: export a range with usage", Options{}},
		"a broken number":     {console[0] + console[1] + strings.Replace(console[2], ",1,0,0,", ",x,0,0,", 1), `line 3, field "usage_input_tokens_no_cache": "x" is not a whole number from 0 on`, Options{}},
		"half a token":        {console[0] + strings.Replace(console[2], ",1,0,0,", ",1.5,0,0,", 1), `line 2, field "usage_input_tokens_no_cache": "1.5" is not a whole number from 0 on`, Options{}},
		"a negative number":   {console[0] + strings.Replace(console[2], ",1,0,0,", ",-1,0,0,", 1), `line 2, field "usage_input_tokens_no_cache": "-1" is not a whole number from 0 on`, Options{}},
		"an empty number":     {console[0] + strings.Replace(console[2], ",1,0,0,", ",,0,0,", 1), `line 2, field "usage_input_tokens_no_cache": "" is not a whole number from 0 on`, Options{}},
		"a date of no day":    {console[0] + strings.Replace(console[2], "2026-03-01", "2026-02-30", 1), `line 2, field "usage_date_utc": "2026-02-30" is not a date such as 2025-08-01`, Options{}},
		"a short line":        {console[0] + console[1] + "2026-03-01,claude\n", "line 3: it has 2 cells, and the head has 14", Options{}},
		"a quote too many":    {console[0] + "2026-03-01,a\"b\n", "line 2: it is not CSV: bare \" in non-quoted-field", Options{}},
		"more cache than all": {openaiHead + "1772323200,1772409600,,,p,1,u,k,gpt,FALSE,default,5,1,6,0\n", `line 2, field "input_tokens": 5 is less than what was read from a cache and written to one, which it includes`, Options{}},
		"two days in one":     {openaiHead + "1772323200,1772496000,,,p,1,u,k,gpt,FALSE,default,5,1,0,0\n", `line 2, field "end_time": "1772496000" is not within the day (UTC) of start_time; export buckets of a day, an hour or a minute`, Options{}},
		"two currencies":      {"start_time,end_time,amount_value,amount_currency\n1772323200,1772409600,1,usd\n1772323200,1772409600,1,eur\n", "line 3: it holds costs in USD and EUR: export one currency", Options{}},
		"embeddings": {page(`{"start_time":1772323200,"end_time":1772409600,"results":[` + "\n" + `{"object":"organization.usage.embeddings.result","input_tokens":1,"output_tokens":0}]}`),
			`line 4, field "data[0].results[0].object": "organization.usage.embeddings.result" is not compared; export the usage of completions`, Options{}},
		"a missing member": {page(`{"start_time":1772323200,"end_time":1772409600,"results":[{"input_tokens":1}]}`),
			`line 3, field "data[0].results[0].output_tokens": it is missing: OpenAI usage has it`, Options{}},
		"an unknown member": {page(`{"start_time":1772323200,"end_time":1772409600,"results":[{"input_tokens":1,"output_tokens":1,"output_video_tokens":1}]}`),
			`line 3, field "data[0].results[0].output_video_tokens": it is not known in OpenAI usage: name it with --ignore to leave it out`, Options{}},
		"a list for a number": {page(`{"start_time":1772323200,"end_time":1772409600,"results":[{"input_tokens":[1],"output_tokens":1}]}`),
			`line 3, field "data[0].results[0].input_tokens": it is not text or a number`, Options{}},
		"cut off":         {"{\"data\":[{\"start_time\":1772323200,\n\"end_time\"", "line 2: it ends in the middle of a value: the file was cut off", Options{}},
		"cut between":     {"{\"data\":[\n{\"start_time\":1772323200,\"end_time\":1772409600,\"results\":[", "line 2: it ends in the middle of a value: the file was cut off", Options{}},
		"not JSON":        {"{\n\"data\": nothing}", "line 2: it is not JSON: invalid character 'o' in literal null (expecting 'u')", Options{}},
		"data of no list": {`{"data":{}}`, `line 1, field "data": it is not a list`, Options{}},
		"no results":      {page(`{"start_time":1772323200,"end_time":1772409600}`), `line 3, field "data[0].results": it is missing`, Options{}},
		"an error's body": {`{"error":{"message":"no"}}`, "it has no usage: export a range with usage", Options{}},
		"other pages after": {exports["OpenAI usage, minutes and keys of a day"].text + "\n" + exports["Anthropic usage report"].text,
			"line 12: a page of another export follows: Anthropic usage report after OpenAI usage", Options{}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read(strings.NewReader(x.text), x.opts)
			if err == nil || err.Error() != x.want {
				t.Errorf("error %v\nwant  %s", err, x.want)
			}
			if _, ok := errors.AsType[*Error](err); !ok {
				t.Errorf("the error is a %T", err)
			}
		})
	}
	if _, err := Read(strings.NewReader(strings.Replace(console[0], "speed", "colour", 1)+console[1]), Options{Ignore: []string{"colour"}}); err != nil {
		t.Errorf("with the unknown column ignored: %v", err)
	}
}

// A file is read in memory that does not grow with it, and what never ends is refused.
func TestReadIsBounded(t *testing.T) {
	console := strings.SplitAfter(exports["Claude Console usage"].text, "\n")
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	const rows = 400_000 // 32 MB
	e, err := Read(io.MultiReader(strings.NewReader(console[0]), &repeat{text: console[2], left: rows}), Options{})
	if err != nil || e.Rows != rows || e.cells[key{"2026-03-01", "claude-opus-4-20250514"}].counts[1] != rows {
		t.Fatalf("%d rows: %v", e.Rows, err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapInuse) - int64(before.HeapInuse); grown > 8<<20 {
		t.Errorf("%d bytes more in memory", grown)
	}
	bucket := `{"start_time":1772323200,"end_time":1772409600,"results":[{"input_tokens":1,"output_tokens":1}]},` + "\n"
	last := `{"start_time":1772323200,"end_time":1772409600,"results":[]}]}`
	e, err = Read(io.MultiReader(strings.NewReader(`{"data":[`), &repeat{text: bucket, left: 100_000}, strings.NewReader(last)), Options{})
	if err != nil || e.Rows != 100_000 {
		t.Errorf("%d rows: %v", e.Rows, err)
	}
	for name, open := range map[string][2]string{
		"a quote":  {console[0] + "2026-03-01,\"", "1,1,1,1,1,1,1,1\n"},
		"a string": {`{"data":[{"start_time":"`, "1111111111111111"},
		"a list":   {`{"data":[{"start_time":1772323200,"end_time":1772409600,"results":[{"input_tokens":[1`, ",1111111111111111"},
	} {
		_, err := Read(io.MultiReader(strings.NewReader(open[0]), &repeat{text: open[1], left: 1 << 20}), Options{})
		if err == nil || !strings.Contains(err.Error(), "a row is longer than 4 MiB") {
			t.Errorf("%s that is not closed: %v", name, err)
		}
	}
}

// repeat is a text many times.
type repeat struct {
	text string
	left int
	rest string
}

func (r *repeat) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if r.rest == "" {
			if r.left == 0 {
				break
			}
			r.rest, r.left = r.text, r.left-1
		}
		k := copy(p[n:], r.rest)
		n, r.rest = n+k, r.rest[k:]
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func FuzzRead(f *testing.F) {
	for _, x := range exports {
		f.Add([]byte(x.text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := Read(strings.NewReader(string(data)), Options{})
		if err != nil {
			if _, ok := errors.AsType[*Error](err); !ok {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		Compare(e, nil)
	})
}
