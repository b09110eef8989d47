package search_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tapedeck/internal/fulltest"
	"tapedeck/query"
	"tapedeck/query/querytest"
	"tapedeck/query/search"
	"tapedeck/query/sessionfilter"
	"tapedeck/schema"
)

// find returns the hits of a query as "session/id: snippet", what was searched for in brackets.
func find(t *testing.T, db *querytest.DB, r *query.Reader, text string, change ...func(*search.Query)) []string {
	t.Helper()
	return lines(ask(t, db, r, text, change...))
}

func ask(t *testing.T, db *querytest.DB, r *query.Reader, text string, change ...func(*search.Query)) *search.Answer {
	t.Helper()
	e, err := search.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	q := search.Query{Tenant: db.Tenant, Expression: e, Limit: 100, Within: time.Minute}
	for _, c := range change {
		c(&q)
	}
	return querytest.Must[*search.Answer](t)(search.Read(t.Context(), r, q))
}

func lines(a *search.Answer) []string {
	list := []string{}
	for _, h := range a.Items {
		var b strings.Builder
		fmt.Fprintf(&b, "%s/%s: ", h.SessionID, h.ID)
		for _, p := range h.Snippet {
			if p.Match {
				fmt.Fprintf(&b, "[%s]", p.Text)
			} else {
				b.WriteString(p.Text)
			}
		}
		list = append(list, b.String())
	}
	return list
}

// texts are of one session each, a second apart.
var texts = map[string]string{
	"a": "The deploy failed: connection refused by main.go:42",
	"b": "refused a connection; Straße und GRÜSSE nach München",
	"c": "Привет, мир! Ошибка соединения",
	"d": "日本語のテストが失敗しました。",
	"e": "한국어 검색 ไทยแลนด์",
	"f": "connections are connected => x_y_z",
}

// Words, phrases and beginnings are found in any language, whatever their case.
func TestExpressions(t *testing.T) {
	db := querytest.New(t)
	for i, id := range []string{"a", "b", "c", "d", "e", "f"} {
		db.Add(querytest.Recording{Session: id, Stream: i + 1, Messages: []schema.Message{querytest.Said("m", schema.MessageAssistant, "", texts[id], float64(i))}})
	}
	db.Add(querytest.Recording{Tenant: "other", Session: "x", Stream: 20, Messages: []schema.Message{querytest.Said("m", schema.MessageAssistant, "", "connection refused secretword", 3)}})
	r := query.NewReader(db.Conn)
	for _, tc := range []struct {
		query string
		want  []string
	}{
		{"connection", []string{"b/m: refused a [connection]; Straße und GRÜSSE nach München", "a/m: The deploy failed: [connection] refused by main.go:42"}},
		{"CONNECTION refused", []string{"b/m: [refused] a [connection]; Straße und GRÜSSE nach München", "a/m: The deploy failed: [connection] [refused] by main.go:42"}},
		{`"connection refused"`, []string{"a/m: The deploy failed: [connection refused] by main.go:42"}},
		{"connect*", []string{"f/m: [connections] are [connected] => x_y_z", "b/m: refused a [connection]; Straße und GRÜSSE nach München", "a/m: The deploy failed: [connection] refused by main.go:42"}},
		{"main.go", []string{"a/m: The deploy failed: connection refused by [main.go]:42"}},
		{"go.main", []string{}},
		{"main", []string{"a/m: The deploy failed: connection refused by [main].go:42"}},
		{`"deploy fail"*`, []string{"a/m: The [deploy failed]: connection refused by main.go:42"}},
		{"strasse grüsse", []string{"b/m: refused a connection; [Straße] und [GRÜSSE] nach München"}},
		{"MÜNCH*", []string{"b/m: refused a connection; Straße und GRÜSSE nach [München]"}},
		{"munchen", []string{}},
		{"ПРИВЕТ", []string{"c/m: [Привет], мир! Ошибка соединения"}},
		{"приве", []string{}},
		{"ошиб*", []string{"c/m: Привет, мир! [Ошибка] соединения"}},
		{"テスト", []string{"d/m: 日本語の[テスト]が失敗しました。"}},
		{"失敗", []string{"d/m: 日本語のテストが[失敗]しました。"}},
		{"敗失", []string{}},
		{"검색", []string{"e/m: 한국어 [검색] ไทยแลนด์"}},
		{"แลนด์", []string{"e/m: 한국어 검색 ไทย[แลนด์]"}},
		{"=>", []string{"f/m: connections are connected [=>] x_y_z"}},
		{"x_y_z", []string{"f/m: connections are connected => [x_y_z]"}},
		{"z", []string{"f/m: connections are connected => x_y_[z]"}},
		{"a*", []string{"f/m: connections [are] connected => x_y_z", "b/m: refused [a] connection; Straße und GRÜSSE nach München"}},
		{"secretword", []string{}},
		{"42 deploy", []string{"a/m: The [deploy] failed: connection refused by main.go:[42]"}},
	} {
		querytest.Equal(t, tc.query, tc.want, find(t, db, r, tc.query))
	}
	if scanned := ask(t, db, r, "=> are").Scanned; !slices.Equal(scanned, []string{"=>"}) {
		t.Errorf("scanned %q", scanned)
	}
	// Rows that have no index yet are found all the same.
	db.Merge()
	db.Exec("ALTER TABLE messages CLEAR INDEX text_terms SETTINGS mutations_sync = 2")
	for _, q := range []string{`"connection refused"`, "connect*", "失敗", "ошиб*"} {
		if len(find(t, db, r, q)) == 0 {
			t.Errorf("without an index %s is not found", q)
		}
	}
}

// What counts is what a transcript shows: of several versions the newest, of several streams the
// view in front, of generations the current one, and nothing of what was deleted.
func TestWhatStands(t *testing.T) {
	db := querytest.Open(t)
	growing := querytest.Said("m", schema.MessageAssistant, "", "it begins with alpha", 1)
	growing.Complete = false
	grown := growing
	grown.Text, grown.Version, grown.Ended = "it begins with alpha and ends with omega", 9, querytest.AtSecond(3)
	grown.ChunkAt, grown.ChunkEnd = []int64{querytest.AtSecond(1), querytest.AtSecond(3)}, []uint32{20, uint32(len(grown.Text))}
	replaced := querytest.Said("r", schema.MessageAssistant, "", "draft alpha", 5)
	final := replaced
	final.Text, final.Version = "final", 3
	cut := querytest.Said("v", schema.MessageUser, "", "alpha of a stream that was cut off", 7)
	cut.Complete = false
	whole := querytest.Said("v", schema.MessageUser, "", "alpha whole", 8)
	db.Add(
		querytest.Recording{Session: "grows", Stream: 1, Messages: []schema.Message{growing}},
		querytest.Recording{Session: "grows", Stream: 1, State: schema.StreamState{Version: 2}, Messages: []schema.Message{grown}},
		querytest.Recording{Session: "replaced", Stream: 2, Messages: []schema.Message{replaced}},
		querytest.Recording{Session: "replaced", Stream: 2, State: schema.StreamState{Version: 2}, Messages: []schema.Message{final}},
		querytest.Recording{Session: "twice", Stream: 3, Messages: []schema.Message{cut}},
		querytest.Recording{Session: "twice", Stream: 4, Messages: []schema.Message{whole}},
		querytest.Recording{Session: "decoded", Stream: 5, Messages: []schema.Message{querytest.Said("w", schema.MessageUser, "", "alpha of the old dialect", 9)}},
		querytest.Recording{Session: "gone", Stream: 6, Messages: []schema.Message{querytest.Said("g", schema.MessageUser, "", "alpha erased", 10)}},
	)
	r := query.NewReader(db.Conn)
	querytest.Equal(t, "before", []string{
		"gone/g: [alpha] erased", "decoded/w: [alpha] of the old dialect", "twice/v: [alpha] whole", "grows/m: it begins with [alpha] and ends with omega",
	}, find(t, db, r, "alpha"))
	again := querytest.Recording{Session: "decoded", Stream: 5, Messages: []schema.Message{querytest.Said("n", schema.MessageUser, "", "alpha of the new dialect", 9)}}
	db.AddGeneration(77, again)
	querytest.Equal(t, "not before it is committed", "decoded/w: [alpha] of the old dialect", find(t, db, r, "alpha")[1])
	db.Commit(77, again, 0)
	db.Exec("INSERT INTO tombstones (tenant, session_id, until) VALUES ('" + db.Tenant + "', 'gone', '" + querytest.StreamID(6) + "')")
	querytest.Equal(t, "after", []string{
		"decoded/n: [alpha] of the new dialect", "twice/v: [alpha] whole", "grows/m: it begins with [alpha] and ends with omega",
	}, find(t, db, r, "alpha"))
	// A hit opens at the moment at which the place arrived.
	hit := ask(t, db, r, "omega").Items[0]
	querytest.Equal(t, "moment", []any{querytest.When(3), 2000.0, querytest.StreamID(1), uint64(0), false},
		[]any{hit.At, hit.OffsetMS, hit.StreamID, hit.Seq, hit.Complete})
}

// Filters select texts and sessions, and errors of spans are found.
func TestFilters(t *testing.T) {
	db := querytest.Open(t)
	arguments := querytest.Said("args", schema.MessageArguments, "", `{"command":"make\nneedle\u00e9 \"quoted\""}`, 2)
	arguments.Name, arguments.Media = "bash", "json"
	result := querytest.Said("result", schema.MessageResult, "", "needle found", 3)
	result.Name = "bash"
	failed := querytest.Tool("tool", "bash", schema.StatusError, 2, 4)
	failed.Error = "needle timed out"
	other := querytest.Said("other", schema.MessageResult, "", "needle found", 3)
	other.Name, other.Agent = "grep", "second"
	db.Add(
		querytest.Recording{Session: "s", Stream: 1, State: schema.StreamState{Tags: map[string]string{"team": "search"}, Title: "the title"}, Messages: []schema.Message{
			querytest.Said("user", schema.MessageUser, "", "find the needle", 1), arguments, result,
		}, Spans: []schema.Span{failed}},
		querytest.Recording{Session: "t", Stream: 2, Messages: []schema.Message{other}},
	)
	r := querytest.Reader(db, 60)
	ids := func(text string, change ...func(*search.Query)) string {
		var list []string
		for _, h := range ask(t, db, r, text, change...).Items {
			list = append(list, h.ID)
		}
		slices.Sort(list)
		return strings.Join(list, " ")
	}
	for _, tc := range []struct {
		what   string
		change func(*search.Query)
		want   string
	}{
		{"all", func(*search.Query) {}, "other result tool user"},
		{"kind", func(q *search.Query) { q.Kinds = []schema.MessageKind{schema.MessageUser} }, "user"},
		{"errors", func(q *search.Query) { q.Kinds = []schema.MessageKind{schema.MessageError} }, "tool"},
		{"role", func(q *search.Query) { q.Roles = []search.Role{search.Tool} }, "other result"},
		{"role and kind apart", func(q *search.Query) {
			q.Roles, q.Kinds = []search.Role{search.Tool}, []schema.MessageKind{schema.MessageUser}
		}, ""},
		{"tool", func(q *search.Query) { q.Tools = []string{"bash"} }, "result tool"},
		{"agent", func(q *search.Query) { q.Agents = []string{"second"} }, "other"},
		{"session", func(q *search.Query) { q.Sessions = []string{"t"} }, "other"},
		{"tag", func(q *search.Query) {
			q.Filter = &sessionfilter.Filter{Tags: []sessionfilter.TagFilter{{Key: "team", Value: "search"}}}
		}, "result tool user"},
		{"from", func(q *search.Query) { q.From = querytest.When(3) }, "other result"},
		{"to", func(q *search.Query) { q.To = querytest.When(2) }, "user"},
		{"from and to", func(q *search.Query) { q.From, q.To = querytest.When(2), querytest.When(3) }, "tool"},
	} {
		querytest.Equal(t, tc.what, tc.want, ids("needle", tc.change))
	}
	querytest.Equal(t, "an escaped line end", "args", ids("needleé"))
	querytest.Equal(t, "an escaped quotation mark", "args", ids(`"needleé quoted"`))
	hit := ask(t, db, r, "needleé").Items[0]
	querytest.Equal(t, "a hit", []any{"s", "the title", "tool_arguments", "bash", "main", search.Assistant},
		[]any{hit.SessionID, hit.SessionTitle, hit.Kind, hit.Name, hit.Agent, *hit.Role})
}

// Pages show each hit once, in order; by relevance the text that has most of it comes first.
func TestPages(t *testing.T) {
	db := querytest.Open(t)
	var list []querytest.Recording
	for n := range 40 {
		m := querytest.Said("m", schema.MessageAssistant, "", fmt.Sprint("word number ", n), float64(n%20)*86400)
		if n == 7 {
			m.Text = "word word word"
		}
		list = append(list, querytest.Recording{Session: fmt.Sprintf("s%03d", n), Stream: n + 1, Messages: []schema.Message{m}})
	}
	db.Add(list...)
	r := query.NewReader(db.Conn)
	all := find(t, db, r, "word", func(q *search.Query) { q.Limit = 200 })
	if len(all) != 40 {
		t.Fatalf("%d hits, want 40", len(all))
	}
	for _, limit := range []int{7, 40} {
		var paged []string
		cursor := ""
		for {
			page := ask(t, db, r, "word", func(q *search.Query) { q.Limit, q.Cursor = limit, cursor })
			paged = append(paged, lines(page)...)
			if page.Next == nil {
				break
			}
			cursor = *page.Next
		}
		querytest.Equal(t, fmt.Sprint("pages of ", limit), all, paged)
	}
	best := ask(t, db, r, "word", func(q *search.Query) { q.Limit, q.Order = 3, search.Relevance })
	if best.Items[0].SessionID != "s007" || best.Items[0].Matches != 3 || best.Next != nil || len(best.Items) != 3 {
		t.Errorf("the best: %+v", best)
	}
	// A search that has no time at all has the hits of the last day, says so, and goes on from there.
	none := ask(t, db, r, "word", func(q *search.Query) { q.Within = time.Nanosecond })
	if !none.Partial || none.Reason == nil || none.Next == nil {
		t.Errorf("without time: %+v", none)
	}
	querytest.Equal(t, "hits without time", all[:2], lines(none))
}

// Long texts are read a few at a time. They are found in their places among short ones, and
// each search goes on behind the last that it read.
func TestLongTexts(t *testing.T) {
	fulltest.Long(t)
	db := querytest.Open(t)
	var messages []schema.Message
	var want []string
	for n := range 24 {
		m := querytest.Said(fmt.Sprintf("m%02d", n), schema.MessageAssistant, "", "needle", float64(n))
		if n%2 == 0 {
			m.Text = strings.Repeat("straw ", 300_000) + "needle"
		}
		messages, want = append(messages, m), append([]string{m.ID}, want...)
	}
	db.Add(querytest.Recording{Session: "s", Stream: 1, Messages: messages})
	r := query.NewReader(db.Conn)
	ids := func(a *search.Answer) (list []string) {
		for _, h := range a.Items {
			list = append(list, h.ID)
		}
		return list
	}
	querytest.Equal(t, "all", want, ids(ask(t, db, r, "needle")))
	querytest.Equal(t, "a phrase", slices.DeleteFunc(slices.Clone(want), func(id string) bool { return (id[2]-'0')%2 == 1 }), ids(ask(t, db, r, `"straw needle"`)))
	var paged []string
	cursor := ""
	for {
		page := ask(t, db, r, "needle", func(q *search.Query) { q.Limit, q.Cursor = 5, cursor })
		if paged = append(paged, ids(page)...); page.Next == nil {
			break
		}
		cursor = *page.Next
	}
	querytest.Equal(t, "pages", want, paged)
}
