package tenants

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
)

// What is done with a token is in the audit log of its tenant: who, what, to which object, and
// how it ended. Another tenant sees nothing of it, and content is in no entry.
func TestAudit(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	r := newRig(t)
	r.fill(alpha, 1)
	r.fill(beta, 1)
	tenant := tenantOf(alpha)
	reader, text, err := r.tokens.Create(t.Context(), access.Request{Name: "the reader", Tenant: tenant, Scopes: []access.Scope{access.ReadRaw}})
	r.must(err)
	gone, goneText, err := r.tokens.Create(t.Context(), access.Request{Name: "gone", Tenant: tenant, Scopes: []access.Scope{access.Read}})
	r.must(err)
	_, err = r.tokens.Revoke(t.Context(), tenant, gone.ID)
	r.must(err)
	admin := r.token(tenant, access.Admin)
	session := "only-" + alpha
	began := time.Now()
	type step struct {
		token, method, path, media, body string
		action, object, outcome, who     string
		status                           int
	}
	steps := []step{
		{text, "GET", "/v1/sessions/" + session + "/frames", "", "", "session.frames", session, "done", "the reader", 200},
		{text, "GET", "/v1/sessions/" + session + "/transcript", "", "", "session.transcript", session, "done", "the reader", 200},
		{text, "GET", "/v1/sessions/" + session + "/replay?speed=max", "", "", "session.replay", session, "done", "the reader", 200},
		{text, "GET", "/v1/sessions/" + session + "/tape", "", "", "session.tape", session, "done", "the reader", 200},
		{text, "GET", "/v1/sessions/a%2Fb/tape", "", "", "session.tape", "a/b", "invalid", "the reader", 404},
		{text, "GET", "/v1/usage/calls?format=csv", "", "", "charges.export", "", "done", "the reader", 200},
		{text, "DELETE", "/v1/sessions/" + session, "", "", "session.delete", session, "refused", "the reader", 403},
		{text, "GET", "/v1/bills", "", "", "bill.read", "", "refused", "the reader", 403},
		{text, "POST", "/v1/ingest?session=x", ndjson, "{}\n", "server.access", "POST /v1/ingest", "refused", "the reader", 403},
		{goneText, "GET", "/v1/facets", "", "", "server.access", "GET /v1/facets", "refused", "gone", 401},
		{text, "POST", "/v1/shares", "application/json", `{"session": "` + session + `"}`, "share.create", session, "done", "the reader", 201},
		{admin, "POST", "/v1/bills?period=2999-01", "", "", "bill.close", "2999-01", "invalid", "of " + tenant, 400},
		{admin, "DELETE", "/v1/sessions/shared", "", "", "session.delete", "shared", "done", "of " + tenant, 204},
		{admin, "DELETE", "/v1/tokens/" + reader.ID, "", "", "token.revoke", reader.ID, "done", "of " + tenant, 200},
	}
	ids := map[string]bool{}
	for _, s := range steps {
		a := r.request(s.token, s.method, s.path, s.media, s.body)
		if a.code != s.status {
			t.Errorf("%s %s: %d, want %d: %s", s.method, s.path, a.code, s.status, clip(a.body))
		}
		ids[a.header.Get("X-Request-Id")] = true
	}
	from := "&from=" + began.UTC().Format(time.RFC3339Nano)
	var entries []map[string]any
	bounded.Until(t, "all entries are stored", func() bool {
		entries = items(t, r.request(admin, "GET", "/v1/audit?limit=1000"+from, "", ""))
		entries = slices.DeleteFunc(entries, func(e map[string]any) bool { return e["action"] == "audit.read" })
		return len(entries) >= len(steps)
	})
	slices.Reverse(entries) // in the order of the requests
	for i, s := range steps {
		e := entries[i]
		who := e["principal"].(map[string]any)
		got := []any{e["action"], e["object"], e["outcome"], who["name"], who["kind"], e["tenant"], e["remote"], e["status"]}
		want := []any{s.action, s.object, s.outcome, s.who, "token", tenant, "127.0.0.1", float64(s.status)}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s %s: %v, want %v", s.method, s.path, got, want)
		}
		if s.outcome != "refused" && !ids[e["request_id"].(string)] {
			t.Errorf("%s %s: no answer had the request id %v", s.method, s.path, e["request_id"])
		}
	}
	if len(entries) != len(steps) {
		t.Errorf("%d entries for %d requests", len(entries), len(steps))
	}
	// Nothing of content, and nothing of one tenant in the other's log.
	all := r.request(r.root, "GET", "/v1/audit?format=csv", "", "").body
	for _, content := range []string{"the secret of", "tool-" + alpha, "model-" + alpha, text, goneText} {
		if strings.Contains(all, content) {
			t.Errorf("the log has %q", content)
		}
	}
	if !strings.Contains(all, tenant) || !strings.Contains(all, tenantOf(beta)) {
		t.Errorf("the log of all tenants: %s", clip(all))
	}
	other := r.request(r.token(tenantOf(beta), access.Admin), "GET", "/v1/audit", "", "")
	leaks(t, "the log of another tenant", other, alpha)
	if n := len(items(t, other)); n == 0 {
		t.Error("the other tenant has no entries")
	}
	for _, e := range items(t, r.request(r.root, "GET", "/v1/audit", "", "", "Tapedeck-Tenant: "+tenant)) {
		if e["tenant"] != tenant {
			t.Errorf("an entry of %v in the log of %s", e["tenant"], tenant)
		}
	}
}

// A page that polls the messages of a session makes one entry for the visit, and its answers have the
// request id of that entry. A request that fails has an entry of its own.
func TestAuditVisit(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	r := newRig(t)
	r.fill(alpha, 1)
	tenant, session := tenantOf(alpha), "only-"+alpha
	reader, admin := r.token(tenant, access.ReadRaw), r.token(tenant, access.Admin)
	path := "/v1/sessions/" + session + "/transcript"
	ids := map[string]bool{}
	for range 3 {
		for _, token := range []string{admin, reader} {
			ids[r.request(token, "GET", path+"?chunks=1", "", "").header.Get("X-Request-Id")] = true
		}
		r.request(reader, "GET", path+"?chunks=maybe", "", "") // the last of all: the others are stored before
	}
	outcomes := map[string]int{}
	bounded.Until(t, "all entries are stored", func() bool {
		clear(outcomes)
		for _, e := range items(t, r.request(admin, "GET", "/v1/audit?action=session.transcript", "", "")) {
			outcomes[e["outcome"].(string)]++
			if !ids[e["request_id"].(string)] {
				t.Errorf("no answer had the request id %v", e["request_id"])
			}
		}
		return outcomes["invalid"] == 3
	})
	if outcomes["done"] != 2 || len(ids) != 2 {
		t.Errorf("%v, %d request ids for the visits of two readers", outcomes, len(ids))
	}
}

// Without NATS nothing is changed and nothing is read that is to be recorded: the answer is
// 503, and names the audit log, until the tokens cannot be checked either.
func TestAuditAway(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	r := newRig(t)
	r.first = r.second
	admin := r.token(tenantOf(alpha), access.Admin)
	bounded.Until(t, "the second server knows the token", func() bool { return r.request(admin, "GET", "/v1/facets", "", "").code == 200 })
	r.must(r.broker.Stop(t.Context()))
	a := r.request(admin, "DELETE", "/v1/sessions/any", "", "")
	if a.code != http.StatusServiceUnavailable || !strings.Contains(a.body, "Audit log unavailable") || a.header.Get("Retry-After") == "" {
		t.Errorf("%d %s", a.code, a.body)
	}
}
