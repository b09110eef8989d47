package tenants

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/schema"
)

// sharedFields says what each field of the answers to who opened a link states: a moment, a position, an
// offset from the beginning or a length, ms, a text, an id, a number that counts in the span, or something
// of the link or the recorded frame itself. A field that is not here fails TestSharesHideTheRest.
var sharedFields = map[string][]string{
	"moment":   {"started", "ended", "last_at", "first_at", "captured_at", "at"},
	"position": {"position", "first"},
	"length":   {"offset_ms", "start_ms", "duration_ms", "running_ms", "silent_ms", "open_ms", "slice_ms", "first_token_ms", "reported_ms"},
	"stream":   {"stream_id"},
	"null":     {"end", "error", "reported_ms", "frames_expired_at", "digest"},
	"text":     {"title", "name", "text", "message", "reply", "agent", "agents", "models", "model", "provider", "dialect", "dialects", "type", "transport", "direction", "kind", "status", "media", "evidence", "flags", "mode", "scope", "unpriced", "end_reason", "source", "role", "code"},
	"id":       {"id", "session_id", "span_id", "run_id", "node_id", "event_id", "call_id", "message_id", "parent", "next", "request_id"},
	"number":   {"frames", "bytes", "streams", "runs", "total", "every", "calls", "errors", "size", "seq", "end", "count"},
	"part":     {"items", "open_span", "children", "usage", "spans", "gaps", "totals", "tools", "tokens", "cost", "shares", "discrepancies", "tags", "counters", "redacted", "chunks", "cuts", "limits"},
	"recorded": {"frame", "raw", "attributes"},
}

// seen checks the fields of an answer. The contents of a recorded frame are not checked.
type seen struct {
	t        *testing.T
	what     string
	from, to time.Time
	kinds    map[string][]string // by field
}

func newSeen(t *testing.T, from, to time.Time) *seen {
	s := &seen{t: t, from: from, to: to, kinds: map[string][]string{}}
	for kind, names := range sharedFields {
		for _, name := range names {
			s.kinds[name] = append(s.kinds[name], kind)
		}
	}
	return s
}

func (s *seen) within(at time.Time) bool { return !at.Before(s.from) && at.Before(s.to) }

// check looks at a value of a field, and at its members.
func (s *seen) check(name string, value any) {
	kinds := s.kinds[name]
	bad := func(why string) { s.t.Errorf("%s: %s %v %s", s.what, name, value, why) }
	switch value := value.(type) {
	case map[string]any:
		if slices.Contains(kinds, "recorded") {
			return
		}
		for name, part := range value {
			if s.kinds[name] == nil && !s.known(name) {
				s.t.Errorf("%s: the field %s is not known: sharedFields says what it states", s.what, name)
			}
			s.check(name, part)
		}
	case []any:
		for _, part := range value {
			s.check(name, part)
		}
	case string:
		if at, err := time.Parse(time.RFC3339Nano, value); err == nil && !s.within(at) || err != nil && value != "" && slices.Contains(kinds, "moment") {
			bad("is not in the span")
		}
		if p, err := schema.ParsePosition(value); err == nil && !s.within(time.Unix(0, p.At)) || err != nil && slices.Contains(kinds, "position") {
			bad("is not in the span")
		} else if err == nil {
			s.stream(p.StreamID)
		}
		if slices.Contains(kinds, "stream") {
			s.stream(value)
		}
		if text, err := base64.RawURLEncoding.DecodeString(value); name == "next" && err == nil {
			var cursor struct {
				K int64
			}
			if json.Unmarshal(text, &cursor) == nil && !s.within(time.Unix(0, cursor.K)) {
				bad("is a cursor that is not in the span: " + string(text))
			}
		}
	case json.Number:
		n, _ := value.Float64()
		if slices.Contains(kinds, "length") && (n < 0 || n > float64(s.to.Sub(s.from))/1e6) {
			bad("is not in the span")
		}
	}
}

// known reports whether a field counts tokens, amounts and the like, of the span's usage.
func (s *seen) known(name string) bool {
	return strings.HasPrefix(name, "input") || strings.HasPrefix(name, "output") || strings.HasPrefix(name, "cache_") || slices.Contains([]string{
		"reasoning", "amount", "currency", "stated_total", "stated_cost", "discrepancy", "duplicate", "open", "complete", "lost", "not_json", "invalid_utf8",
		"oversize", "unknown", "repeated", "back", "requested_model", "service_tier", "speed", "region", "token_parts", "tool_uses", "text",
		"audio", "image", "video", "web_searches", "web_fetches", "code_executions", "unpriced_calls", "unpriced_tokens", "unpriced_reason", "unpriced_reasons",
		"reason", "detail", "cost_shares", "usage_discrepancies",
	}, name)
}

// stream checks that the id of a stream does not have a time before the span.
func (s *seen) stream(id string) {
	if at, err := schema.StreamStarted(id); err == nil && time.Unix(0, at).Before(s.from.Truncate(time.Millisecond)) {
		s.t.Errorf("%s: the id %s has the time %s, before the span", s.what, id, time.Unix(0, at))
	}
}

// said is a message of a user.
func said(text string) string {
	return strings.ReplaceAll(`{"type":"agent_start"}
{"type":"turn_start"}
{"type":"message_start","message":{"role":"user","content":[{"type":"text","text":"TEXT"}],"timestamp":1767401000000}}
{"type":"message_end","message":{"role":"user","content":[{"type":"text","text":"TEXT"}],"timestamp":1767401000000}}
`, "TEXT", text)
}

// A link to a span in the middle of a session answers on every route it opens as if there was nothing else:
// not when the session began and ended, no text, title, name or number from outside of the span.
func TestSharesHideTheRest(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	r := newRig(t)
	admin := r.token(tenantOf(alpha), access.Admin)
	listed := func() []map[string]any {
		return items(t, r.request(admin, "GET", "/v1/sessions?limit=10", "", ""))
	}
	// One stream goes on through all of it, within one run; its session is not named.
	body, writer := io.Pipe()
	recorded := make(chan int, 1)
	go func() {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.first+"/v1/ingest?dialect=loom", body)
		if err == nil {
			req.Header.Set("Authorization", "Bearer "+admin)
			req.Header.Set("Content-Type", "application/x-ndjson")
			var resp *http.Response
			// The client of the rig bounds the time of a request.
			if resp, err = (&http.Client{Transport: r.client.Transport}).Do(req); err == nil {
				resp.Body.Close()
				recorded <- resp.StatusCode
				return
			}
		}
		recorded <- 0
	}()
	send := func(text string) {
		_, err := io.WriteString(writer, text)
		r.must(err)
	}
	session, frames := "", 0
	sent := func(lines int) {
		frames += lines
		bounded.Until(t, fmt.Sprintf("%d frames can be read", frames), func() bool {
			if len(recorded) > 0 {
				t.Fatalf("the stream ended: %d", <-recorded)
			}
			if session == "" {
				for _, s := range listed() {
					session = s["id"].(string)
				}
			}
			return session != "" && len(items(t, r.request(admin, "GET", "/v1/sessions/"+session+"/frames?limit=1000", "", ""))) >= frames
		})
	}
	part := func(mark string) {
		for _, one := range []struct{ query, media, body string }{
			{"dialect=pi", "application/x-ndjson", said(mark + " asks")}, {"dialect=anthropic-messages", "text/event-stream", call(mark)},
		} {
			a := r.request(admin, "POST", "/v1/ingest?"+one.query+"&session="+session, one.media, one.body)
			if a.code != http.StatusOK {
				t.Fatalf("record: %d %s", a.code, a.body)
			}
			var sum struct{ Frames int }
			r.must(json.Unmarshal([]byte(a.body), &sum))
			sent(sum.Frames)
		}
	}
	line := func(mark string) string {
		return fmt.Sprintf(`{"node_id":"n","type":"message_chunk","content":"%s of all","id":"m"}`+"\n", mark)
	}
	send(`{"node_id":"n","type":"run_start","run_id":"r1","message":"beforeMark","agent":"agent"}` + "\n" + line("beforeMark"))
	sent(2)
	part("beforeMark")
	from := time.Now().Round(0) // without the monotonic clock
	send(line("middleMark"))
	sent(1)
	part("middleMark")
	to := time.Now().Round(0)
	send(line("afterMark"))
	sent(1)
	part("afterMark")
	r.must(writer.Close())
	if code := <-recorded; code != http.StatusOK {
		t.Fatalf("the stream: %d", code)
	}
	bounded.Until(t, "the end can be read", func() bool {
		return strings.Count(r.request(admin, "GET", "/v1/sessions/"+session, "", "").body, `"end_reason":"eof"`) == 7
	})

	whole := items(t, r.request(admin, "GET", "/v1/sessions/"+session+"/frames?limit=1000", "", ""))
	inside, outside, size := map[string]bool{}, []string{}, 0.0
	for _, f := range whole {
		at, err := time.Parse(time.RFC3339Nano, f["captured_at"].(string))
		r.must(err)
		if at.Before(from) || !at.Before(to) {
			outside = append(outside, f["position"].(string))
			continue
		}
		inside[fmt.Sprint(f["seq"], f["captured_at"])] = true
		size += f["size"].(float64)
	}
	if len(inside) == 0 || len(outside) <= len(inside) {
		t.Fatalf("%d of %d frames are in the span", len(inside), len(whole))
	}
	l := r.share(admin, fmt.Sprintf(`{"session":%q,"from":%q,"to":%q}`, session, from.Format(time.RFC3339Nano), to.Format(time.RFC3339Nano)))
	s := newSeen(t, from, to)
	var login struct {
		Principal struct{ Share struct{ Session string } }
	}
	s.what = "login"
	a := r.request(l.text(), "GET", "/v1/login", "", "")
	r.must(json.Unmarshal([]byte(a.body), &login))
	shown := login.Principal.Share.Session
	s.stream(shown)
	if shown == session {
		t.Errorf("the link has the id of the session, which has its start: %s", shown)
	}
	all := ""
	ask := func(path string) map[string]any {
		t.Helper()
		a := r.request(l.text(), "GET", "/v1/sessions/"+shown+path, "", "")
		if a.code != http.StatusOK {
			t.Fatalf("%s: %d %s", path, a.code, a.body)
		}
		d := json.NewDecoder(strings.NewReader(a.body))
		d.UseNumber()
		var answer map[string]any
		r.must(d.Decode(&answer))
		s.what = path
		s.check("", answer)
		text := a.body
		if raw, is := answer["raw"].(string); is {
			plain, err := base64.StdEncoding.DecodeString(raw)
			r.must(err)
			text += string(plain)
		}
		for _, hidden := range []string{"beforeMark", "afterMark", session} {
			if i := strings.Index(text, hidden); i >= 0 {
				t.Errorf("%s has %s: %s", path, hidden, clip(text[max(0, i-80):]))
			}
		}
		all += text
		return answer
	}
	pages := func(path string) (list []any) {
		t.Helper()
		for next := ""; ; {
			page := ask(path + next)
			list = append(list, page["items"].([]any)...)
			cursor, more := page["next"].(string)
			if !more {
				return list
			}
			next = "&cursor=" + cursor
		}
	}
	found := pages("/frames?limit=2")
	for _, one := range found {
		f := one.(map[string]any)
		if !inside[fmt.Sprint(f["seq"], f["captured_at"])] {
			t.Errorf("a frame is not of the span: %v", f)
		}
		ask("/frames/" + f["position"].(string))
	}
	number := func(v any) float64 {
		n, err := strconv.ParseFloat(fmt.Sprint(v), 64)
		r.must(err)
		return n
	}
	detail, index, types, density := ask(""), ask("/frames/index?every=100"), ask("/frames/types"), ask("/density?slices=5")
	sum := func(list any, of func(any) any) (n float64) {
		for _, one := range list.([]any) {
			n += number(of(one))
		}
		return n
	}
	for what, got := range map[string]float64{
		"frames": float64(len(found)), "frames of the session": number(detail["frames"]), "frames of the index": number(index["total"]),
		"frames of the types":   sum(types["items"], func(v any) any { return v.(map[string]any)["frames"] }),
		"frames of the density": sum(density["frames"], func(v any) any { return v }),
		"frames of the streams": sum(detail["streams"], func(v any) any { return v.(map[string]any)["frames"] }),
	} {
		if got != float64(len(inside)) {
			t.Errorf("%s: %v, want %d", what, got, len(inside))
		}
	}
	if number(detail["bytes"]) != size || detail["title"] != "middleMark asks" || detail["end"] != nil || detail["running_ms"] != nil {
		t.Errorf("the session has %v bytes (want %v), the title %v, the end %v, and runs for %v", detail["bytes"], size, detail["title"], detail["end"], detail["running_ms"])
	}
	ask("/timeline")
	pages("/transcript?chunks=1&limit=1")
	for _, want := range []string{"model-middleMark", "tool-middleMark", "the secret of middleMark", "middleMark asks", "middleMark of all"} {
		if !strings.Contains(all, want) {
			t.Errorf("the link shows no %q", want)
		}
	}
	for _, position := range outside {
		if a := r.request(l.text(), "GET", "/v1/sessions/"+shown+"/frames/"+position, "", ""); a.code != http.StatusNotFound {
			t.Errorf("a frame outside of the span: %d", a.code)
		}
	}
	if a := r.request(l.text(), "GET", "/v1/sessions/"+shown+"/frames?cursor="+outside[0], "", ""); len(items(t, a)) != len(inside) {
		t.Errorf("from a cursor before the span on there are %d frames, want %d", len(items(t, a)), len(inside))
	}
	r.playsShare(l, shown, s, len(inside), found)
}

// playsShare checks the frames that the playback of a link's session sends.
func (r *rig) playsShare(l link, session string, s *seen, frames int, list []any) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), time.Minute)
	defer cancel()
	open := func(query string) (*websocket.Conn, error) {
		a := r.request(l.text(), "POST", "/v1/tickets", "application/json", fmt.Sprintf(`{"path":"/v1/sessions/%s/replay"}`, session))
		var got struct{ Ticket string }
		if err := json.Unmarshal([]byte(a.body), &got); err != nil || a.code != http.StatusCreated {
			r.t.Fatalf("a ticket: %d %s", a.code, a.body)
		}
		conn, _, err := websocket.Dial(ctx, r.first+"/v1/sessions/"+session+"/replay?mode=cue&"+query+"&ticket="+got.Ticket, nil)
		return conn, err
	}
	middle := list[len(list)/2].(map[string]any)["position"].(string)
	for query, want := range map[string]int{
		"speed=max": frames, "speed=max&follow=1": frames, "speed=max&from=%2B0s&to=%2B24h": frames, "speed=max&from=live": 0, "speed=max&from=" + middle: frames - len(list)/2,
	} {
		conn, err := open(query)
		r.must(err)
		s.what = "replay?" + query
		sum := 0
		for {
			_, text, err := conn.Read(ctx)
			if err != nil {
				if websocket.CloseStatus(err) != websocket.StatusNormalClosure {
					r.t.Errorf("%s ended with %v", s.what, err)
				}
				break
			}
			var m struct {
				Type     string
				Frames   int
				Position string
				Offset   *float64 `json:"offset_ms"`
			}
			r.must(json.Unmarshal(text, &m))
			if m.Position != "" {
				s.check("position", m.Position)
			}
			if m.Offset != nil {
				s.check("offset_ms", json.Number(strconv.FormatFloat(*m.Offset, 'f', -1, 64)))
			}
			switch m.Type {
			case "cue":
				sum += m.Frames
			case "end":
				if m.Frames != want {
					r.t.Errorf("%s ends after %d frames, want %d: %s", s.what, m.Frames, want, text)
				}
			}
		}
		if sum != want {
			r.t.Errorf("%s has %d frames, want %d", s.what, sum, want)
		}
	}
	if conn, err := open("speed=max&from=type:run_start"); err == nil { // a type of a frame before the span
		conn.CloseNow()
		r.t.Error("a place outside of the span is found")
	}
}
