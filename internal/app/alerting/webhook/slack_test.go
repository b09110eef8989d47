package webhook_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tapedeck/internal/app/alerting/notify"
	"tapedeck/internal/app/alerting/webhook"
	"tapedeck/internal/bounded"
	"tapedeck/query/alerts/evaluate"
)

// sentToSlack returns the message that a target in Slack's form receives of an alert.
func sentToSlack(t *testing.T, a *evaluate.Alert, page string) string {
	t.Helper()
	bodies := make(chan string, 1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Tapedeck-Signature") != "" {
			t.Errorf("the headers are %v", r.Header)
		}
		bodies <- string(body)
		_, _ = io.WriteString(w, "ok")
	}))
	defer s.Close()
	to, err := webhook.New(webhook.Options{URL: s.URL + "/services/T0/B0/x", Slack: true, Page: page, Inward: true, Timeout: bounded.Limit})
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	if err := to.Send(t.Context(), notify.EventOf(a)); err != nil {
		t.Fatal(err)
	}
	body := bounded.Receive(t, bodies)
	var message map[string]any
	if err := json.Unmarshal([]byte(body), &message); err != nil || len(message) != 2 || message["unfurl_links"] != false {
		t.Fatalf("%s: %v", body, err)
	}
	return message["text"].(string)
}

// A message of Slack says what happened, to which session, with a link to it if the server's address is known.
func TestSlack(t *testing.T) {
	began := time.Date(2026, 3, 29, 12, 0, 0, 0, time.UTC)
	ended := began.Add(90 * time.Second)
	alert := evaluate.Alert{ID: "a1", Rule: "hangs", Tenant: "acme", Session: "chat 7/x|y", Detail: "the call of bash is open", Began: began}
	over := alert
	over.Ended = &ended
	for name, tc := range map[string]struct {
		alert      *evaluate.Alert
		page, want string
	}{
		"begun": {&alert, "", ":warning: Alert *hangs* began: the call of bash is open\nsession chat 7/x|y, tenant acme, began 2026-03-29 12:00:00 UTC"},
		"ended": {&over, "https://tapedeck.example.com/",
			":white_check_mark: Alert *hangs* ended after 1m30s: the call of bash is open\nsession <https://tapedeck.example.com/sessions/chat%207%2Fx%7Cy|chat 7/x¦y>, tenant acme, began 2026-03-29 12:00:00 UTC"},
	} {
		if got := sentToSlack(t, tc.alert, tc.page); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

// What was recorded makes no link, no mention and no second line in a message, and does not make it long.
func TestSlackText(t *testing.T) {
	text := sentToSlack(t, &evaluate.Alert{Rule: "r", Tenant: "<!here>", Session: "<!channel> & <https://evil.example.com|x>", Detail: "used\nby <@U1>\xff " + strings.Repeat("ä", 5000),
		Began: time.Date(2026, 3, 29, 12, 0, 0, 0, time.UTC)}, "")
	if strings.ContainsAny(text, "<>") || strings.Count(text, "\n") != 1 || len(text) > 3000 {
		t.Errorf("%d bytes: %.500q", len(text), text)
	}
	for _, want := range []string{"used by &lt;@U1&gt;", "session &lt;!channel&gt; &amp; &lt;https://evil.example.com|x&gt;", "tenant &lt;!here&gt;", "ä…"} {
		if !strings.Contains(text, want) {
			t.Errorf("%.500q lacks %q", text, want)
		}
	}
}

// A target in Slack's form and one of events at the same address are two targets.
func TestSlackID(t *testing.T) {
	ids := map[string]bool{}
	for _, slack := range []bool{false, true} {
		to, err := webhook.New(webhook.Options{URL: "https://hooks.example.com/x", Slack: slack})
		if err != nil {
			t.Fatal(err)
		}
		to.Close()
		ids[to.ID()] = true
	}
	if len(ids) != 2 {
		t.Errorf("the ids are %v", ids)
	}
}
