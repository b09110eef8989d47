package tenants

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/getkin/kin-openapi/openapi3"

	"tapedeck/ingest/redact"
	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/query"
)

// link is a shared link as the API answers it.
type link struct {
	ID, URL string
}

// text returns what a page sends for the link.
func (l link) text() string {
	_, text, _ := strings.Cut(l.URL, "#")
	return text
}

// share makes a link.
func (r *rig) share(token, body string) link {
	r.t.Helper()
	a := r.request(token, "POST", "/v1/shares", "application/json", body)
	var l link
	if err := json.Unmarshal([]byte(a.body), &l); err != nil || a.code != http.StatusCreated || !strings.HasPrefix(l.URL, r.first+"/share#tds_") {
		r.t.Fatalf("share: %d %s", a.code, a.body)
	}
	return l
}

// sharedRoutes are the routes that answer a client that opened a link.
var sharedRoutes = []string{
	"GET /v1/sessions/{id}", "GET /v1/sessions/{id}/frames", "GET /v1/sessions/{id}/frames/index", "GET /v1/sessions/{id}/frames/types",
	"GET /v1/sessions/{id}/frames/{position}", "GET /v1/sessions/{id}/timeline", "GET /v1/sessions/{id}/density", "GET /v1/sessions/{id}/transcript",
}

// A link opens its session alone, on every route of the document: everything else is not there, in the
// same words whether it exists or not.
func TestSharesOpenOneSession(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.fill(beta, 0)
	r.fill(alpha, 1)
	l := r.share(r.token(tenantOf(alpha), access.ReadRaw), `{"session":"shared"}`)
	position := func(session string) string {
		return fmt.Sprint(items(t, r.request(r.token(tenantOf(alpha), access.ReadRaw), "GET", "/v1/sessions/"+session+"/frames", "", ""))[0]["position"])
	}
	own, other := position("shared"), position("only-"+alpha)
	doc, err := openapi3.NewLoader().LoadFromData(query.OpenAPI)
	r.must(err)
	tried := 0
	for path, item := range doc.Paths.Map() {
		for method := range item.Operations() {
			name := method + " " + path
			p := probes[name]
			if slices.Contains(p.may, "anyone") || name == "POST /v1/tickets" || name == "GET /v1/ingest/ws" {
				continue
			}
			var hidden []answer
			for _, target := range []string{"shared", "only-" + alpha, "only-" + beta, "only-nobMark"} {
				at := own
				if target != "shared" {
					at = other
				}
				in := strings.NewReplacer("{id}", target, "{exec_id}", target, "{number}", "INV-000001", "{key}", "key-"+alpha+"shared", "{model}", "claude-sonnet-4-5",
					"{provider}", "anthropic", "{position}", at, "{kind}", "agents", "{path}", "v1/messages", "{profile}", "heap", "{seq}", "1")
				a := r.request(l.text(), method, in.Replace(path+p.query), p.media, in.Replace(p.body))
				tried++
				if target == "shared" && slices.Contains(sharedRoutes, name) {
					if a.code != http.StatusOK {
						t.Errorf("%s of the shared session: %d %s", name, a.code, clip(a.body))
					}
				} else {
					if a.code != http.StatusNotFound {
						t.Errorf("%s of %s: %d %s", name, target, a.code, clip(a.body))
					}
					hidden = append(hidden, a)
				}
				leaks(t, name+" of "+target, answer{a.code, a.header, a.body}, beta, "only-"+alpha, "customer")
			}
			for _, a := range hidden[1:] {
				if a.body != hidden[0].body {
					t.Errorf("%s distinguishes what a link does not open:\n%s\n%s", name, clip(a.body), clip(hidden[0].body))
				}
			}
		}
	}
	t.Logf("%d requests", tried)

	// The page plays the session by a WebSocket, with a ticket, and receives no frames.
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	play := func(session, query string) error {
		a := r.request(l.text(), "POST", "/v1/tickets", "application/json", fmt.Sprintf(`{"path":"/v1/sessions/%s/replay"}`, session))
		var got struct{ Ticket string }
		if err := json.Unmarshal([]byte(a.body), &got); err != nil || a.code != http.StatusCreated {
			t.Fatalf("a ticket: %d %s", a.code, a.body)
		}
		conn, _, err := websocket.Dial(ctx, r.first+"/v1/sessions/"+session+"/replay?"+query+"&ticket="+got.Ticket, nil)
		if err == nil {
			conn.CloseNow()
		}
		return err
	}
	if err := play("shared", "mode=cue"); err != nil {
		t.Errorf("play: %v", err)
	}
	for _, refused := range [][2]string{{"shared", "speed=max"}, {"shared", "mode=raw"}, {"only-" + alpha, "mode=cue"}} {
		if play(refused[0], refused[1]) == nil {
			t.Errorf("%s?%s is played", refused[0], refused[1])
		}
	}
	if a := r.request(l.text(), "GET", "/v1/sessions/shared/frames?raw=1", "", ""); a.code != http.StatusNotFound {
		t.Errorf("raw frames: %d", a.code)
	}

	// Others of the tenant neither see nor revoke it; who administers the tenant does.
	if a := r.request(r.token(tenantOf(alpha), access.ReadRaw), "DELETE", "/v1/shares/"+l.ID, "", ""); a.code != http.StatusNotFound {
		t.Errorf("revoked by another token: %d %s", a.code, a.body)
	}
	if a := r.request(r.token(tenantOf(beta), access.Admin), "DELETE", "/v1/shares/"+l.ID, "", ""); a.code != http.StatusNotFound {
		t.Errorf("revoked by another tenant: %d %s", a.code, a.body)
	}
	admin := r.token(tenantOf(alpha), access.Admin)
	if list := items(t, r.request(admin, "GET", "/v1/shares?session=shared", "", "")); len(list) != 1 || list[0]["id"] != l.ID || list[0]["url"] != nil {
		t.Errorf("the list: %v", list)
	}
	if a := r.request(admin, "DELETE", "/v1/shares/"+l.ID, "", ""); a.code != http.StatusOK {
		t.Fatalf("revoke: %d %s", a.code, a.body)
	}
	brief := r.share(admin, fmt.Sprintf(`{"session":"shared","expires_at":%q}`, time.Now().Add(time.Second).Format(time.RFC3339Nano)))
	for what, text := range map[string]string{"revoked": l.text(), "expired": brief.text()} {
		bounded.Until(t, "the link is over", func() bool {
			return r.request(text, "GET", "/v1/sessions/shared", "", "").code == http.StatusGone
		})
		if a := r.request(text, "GET", "/v1/sessions/shared", "", ""); !strings.Contains(a.body, what) {
			t.Errorf("%s: %s", what, a.body)
		}
	}
	if a := r.request("tds_0123456789ABCDEFGHIJKLMNOPQRSTabcdef", "GET", "/v1/sessions/shared", "", ""); a.code != http.StatusUnauthorized {
		t.Errorf("a mistyped link: %d %s", a.code, a.body)
	}
	for _, body := range []string{`{"session":"only-` + beta + `"}`, `{"session":"nosuch"}`} {
		if a := r.request(admin, "POST", "/v1/shares", "application/json", body); a.code != http.StatusNotFound {
			t.Errorf("share %s: %d %s", body, a.code, a.body)
		}
	}
}

// Secrets that were recorded are masked in what a link shows, also when they are cut over frames;
// what is not in the link's span is left out.
func TestSharesAreMasked(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	r := newRigWith(t, redact.Off)
	admin := r.token(tenantOf(alpha), access.Admin)
	const secret = "ghp_" + "q7Xw2Lk9Tz4Vb8Nc3Hs6Jd1Fg5Rm0Py2Ae7U"
	var body strings.Builder
	delta := func(text string) string {
		return fmt.Sprintf("event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":%q}}\n\n", text)
	}
	head, rest, _ := strings.Cut(call(alpha), "event: content_block_delta\n")
	_, rest, _ = strings.Cut(rest, "\n\n")
	body.WriteString(head + delta("whole "+secret+" cut "+secret[:9]) + delta(secret[9:23]) + delta(secret[23:]+" end") + rest)
	if a := r.request(admin, "POST", "/v1/ingest?dialect=anthropic-messages&session=s&tag=customer:x", "text/event-stream", body.String()); a.code != http.StatusOK {
		t.Fatalf("record: %d %s", a.code, a.body)
	}
	bounded.Until(t, "the recording can be read", func() bool {
		return strings.Contains(r.request(admin, "GET", "/v1/sessions/s", "", "").body, `"status":"ok"`)
	})
	l := r.share(admin, `{"session":"s"}`)
	pieces := []string{secret, secret[:9], secret[9:23], secret[23:]}
	stored := r.request(admin, "GET", "/v1/sessions/s/transcript", "", "").body + r.request(admin, "GET", "/v1/sessions/s/frames", "", "").body
	for _, piece := range pieces {
		if !strings.Contains(stored, piece) {
			t.Fatalf("%s was not recorded", piece)
		}
	}
	all := ""
	frames := items(t, r.request(l.text(), "GET", "/v1/sessions/s/frames", "", ""))
	paths := []string{"", "/frames", "/timeline", "/transcript?chunks=1", "/density", "/frames/types", "/frames/index"}
	for _, f := range frames {
		paths = append(paths, "/frames/"+f["position"].(string))
	}
	for _, path := range paths {
		a := r.request(l.text(), "GET", "/v1/sessions/s"+path, "", "")
		if a.code != http.StatusOK {
			t.Fatalf("%s: %d %s", path, a.code, a.body)
		}
		text := a.body
		var one struct{ Raw []byte }
		if strings.HasPrefix(path, "/frames/") && json.Unmarshal([]byte(a.body), &one) == nil {
			text += string(one.Raw)
		}
		for _, piece := range pieces {
			if strings.Contains(text, piece) {
				t.Errorf("%s holds %s: %s", path, piece, clip(text[max(0, strings.Index(text, piece)-80):]))
			}
		}
		all += text
	}
	for _, want := range []string{"[redacted:github-token#1]", "whole ", " end", "model-" + alpha} {
		if !strings.Contains(all, want) {
			t.Errorf("the link shows no %q", want)
		}
	}
	if strings.Contains(all, "customer") {
		t.Error("the link shows tags")
	}
	// Before the recording there was nothing.
	started := items(t, r.request(admin, "GET", "/v1/sessions/s/frames", "", ""))[0]["captured_at"].(string)
	nothing := r.share(admin, fmt.Sprintf(`{"session":"s","from":"2020-01-01T00:00:00Z","to":%q}`, started))
	for _, path := range []string{"/frames", "/transcript"} {
		if a := r.request(nothing.text(), "GET", "/v1/sessions/s"+path, "", ""); a.code == http.StatusOK && len(items(t, a)) > 0 {
			t.Errorf("%s outside of the span: %s", path, clip(a.body))
		}
	}
	if a := r.request(nothing.text(), "GET", "/v1/sessions/s/frames/"+frames[0]["position"].(string), "", ""); a.code != http.StatusNotFound {
		t.Errorf("a frame outside of the span: %d", a.code)
	}
}
