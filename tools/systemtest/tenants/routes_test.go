package tenants

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"tapedeck/ingest/tap/otlphttp"
	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/query"
	"tapedeck/replay/tapefile"
)

// may lists the scopes of a tenant's token that open a route.
type may []access.Scope

var (
	anyone  = may{"anyone"}
	record  = may{access.Record, access.Admin}
	read    = may{access.Read, access.ReadRaw, access.Admin}
	raw     = may{access.ReadRaw, access.Admin}
	billing = may{access.Bill, access.Admin}
	admin   = may{access.Admin}
	nobody  = may{} // tokens of all tenants only
	every   = may{access.Record, access.Read, access.ReadRaw, access.Note, access.Bill, access.Admin}
)

// probe is how a route is tried. {own}, {foreign} and the like in paths and bodies stand
// for things of the tenants.
type probe struct {
	may   may
	query string
	media string
	body  string
}

const ndjson = "application/x-ndjson"

// probes has every route of the OpenAPI document. A route that is added must be added here.
var probes = map[string]probe{
	"POST /v1/ingest":                                {record, "?session={id}-in&dialect=generic", ndjson, "{\"a\":1}\n"},
	"GET /v1/ingest/{key}":                           {record, "", "", ""},
	"GET /v1/ingest/ws":                              {record, "", "", ""},
	"POST /v1/traces":                                {record, "", "application/json", `{"resourceSpans":[]}`},
	"POST /v1/logs":                                  {record, "", "application/json", `{"resourceLogs":[]}`},
	"POST /v1/metrics":                               {record, "", "application/json", `{}`},
	"POST " + otlphttp.TracesMethod:                  {record, "", "application/json", `{}`},
	"POST " + otlphttp.LogsMethod:                    {record, "", "application/json", `{}`},
	"POST " + otlphttp.MetricsMethod:                 {record, "", "application/json", `{}`},
	"POST /v1/import":                                {record, "", tapefile.MediaType, "no tape"},
	"POST /v1/blocks":                                {record, "", "", ""},
	"GET /v1/sessions":                               {read, "", "", ""},
	"GET /v1/open":                                   {read, "", "", ""},
	"POST /mcp":                                      {read, "", "application/json", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"find_sessions","arguments":{}}}`},
	"GET /v1/alerts":                                 {read, "", "", ""},
	"GET /v1/notes":                                  {read, "", "", ""},
	"GET /v1/sessions/{id}/notes":                    {read, "", "", ""},
	"POST /v1/sessions/{id}/notes":                   {admin, "", "application/json", `{"labels":["x"]}`}, // or the scopes read and note, see TestNotes
	"POST /v1/sessions/{id}/notes/import":            {admin, "", "application/json", `{"notes":[{"id":"0195b1f0-0000-7000-8000-000000000000"}]}`},
	"PUT /v1/sessions/{id}/labels/{label}":           {admin, "", "", ""},
	"DELETE /v1/sessions/{id}/labels/{label}":        {admin, "", "", ""},
	"PUT /v1/sessions/{id}/notes/{note}":             {admin, "", "application/json", `{"labels":["x"]}`},
	"DELETE /v1/sessions/{id}/notes/{note}":          {admin, "", "", ""},
	"GET /v1/totals":                                 {read, "", "", ""},
	"GET /v1/facets":                                 {read, "", "", ""},
	"GET /v1/streams":                                {read, "?session={id}", "", ""},
	"GET /v1/sessions/{id}":                          {read, "", "", ""},
	"DELETE /v1/sessions/{id}":                       {admin, "", "", ""},
	"POST /v1/sessions/{id}/redecode":                {admin, "", "", ""},
	"POST /v1/sessions/{id}/redact":                  {admin, "?dry_run=1", "", ""},
	"GET /v1/sessions/{id}/frames":                   {raw, "", "", ""},
	"GET /v1/sessions/{id}/frames/index":             {read, "", "", ""},
	"GET /v1/sessions/{id}/frames/types":             {read, "", "", ""},
	"GET /v1/sessions/{id}/frames/{position}":        {raw, "", "", ""},
	"GET /v1/sessions/{id}/timeline":                 {read, "", "", ""},
	"GET /v1/sessions/{id}/density":                  {read, "", "", ""},
	"GET /v1/sessions/{id}/transcript":               {read, "", "", ""},
	"GET /v1/sessions/{id}/replay":                   {raw, "?speed=max", "", ""},
	"GET /emulate/{id}":                              {raw, "", "", ""},
	"GET /emulate/{id}/{path}":                       {raw, "", "", ""},
	"POST /emulate/{id}/{path}":                      {raw, "", "", ""},
	"PUT /emulate/{id}/{path}":                       {raw, "", "", ""},
	"PATCH /emulate/{id}/{path}":                     {raw, "", "", ""},
	"DELETE /emulate/{id}/{path}":                    {raw, "", "", ""},
	"OPTIONS /emulate/{id}/{path}":                   {raw, "", "", ""},
	"GET /v1/sessions/{id}/emulation":                {raw, "?protocol=compozy", "", ""},
	"GET /api/v0/executions/{kind}/{exec_id}/stream": {raw, "?speed=max", "", ""},
	"GET /v1/sessions/{id}/tape":                     {raw, "", "", ""},
	"GET /v1/sessions/{id}/otlp":                     {read, "", "", ""},
	"GET /v1/usage":                                  {read, "", "", ""},
	"GET /v1/usage/calls":                            {read, "", "", ""},
	"GET /v1/usage/reconciliation":                   {billing, "", "", ""},
	"POST /v1/usage/reconciliation":                  {billing, "", "text/csv", "x"},
	"GET /v1/tools":                                  {read, "", "", ""},
	"GET /v1/limits":                                 {read, "?tag=customer", "", ""},
	"GET /v1/calls":                                  {read, "", "", ""},
	"GET /v1/compare":                                {read, "?a={id}&b={id}", "", ""},
	"GET /v1/search":                                 {read, "?q=says", "", ""},
	"GET /v1/prices":                                 {read, "", "", ""},
	"POST /v1/prices":                                {nobody, "?dry_run=1", "application/yaml", "margins: []"},
	"GET /v1/prices/{model}":                         {read, "", "", ""},
	"GET /v1/prices/{provider}/{model}":              {read, "", "", ""},
	"GET /v1/bills/focus":                            {billing, "?period=2020-02", "", ""},
	"GET /v1/bills/{number}/focus":                   {billing, "", "", ""},
	"GET /v1/bills/{number}/invoice":                 {billing, "", "", ""},
	"GET /v1/waiting":                                {every, "", "", ""},
	"GET /v1/bills":                                  {billing, "", "", ""},
	"POST /v1/bills":                                 {billing, "?period=2999-01", "", ""},
	"GET /v1/bills/preview":                          {billing, "?period=2020-02", "", ""},
	"GET /v1/bills/preview/rows":                     {billing, "?period=2020-02", "", ""},
	"GET /v1/bills/{number}":                         {billing, "", "", ""},
	"GET /v1/bills/{number}/rows":                    {billing, "", "", ""},
	"GET /v1/bills/{number}/prices":                  {nobody, "", "", ""},
	"GET /v1/bills/{number}/evidence":                {admin, "", "", ""}, // see TestEvidenceNeedsTwoScopes
	"GET /v1/bills/{number}/verification":            {billing, "", "", ""},
	"GET /v1/tenants":                                {admin, "", "", ""},
	"GET /v1/tokens":                                 {admin, "", "", ""},
	"POST /v1/tokens":                                {admin, "", "application/json", `{"name":"x","scopes":["read"]}`},
	"DELETE /v1/tokens/{id}":                         {admin, "", "", ""},
	"GET /v1/audit":                                  {admin, "", "", ""},
	"GET /v1/retention":                              {admin, "", "", ""},
	"PUT /v1/retention":                              {admin, "", "application/json", `{"kind": "frames", "max_age_s": 315360000}`},
	"GET /v1/retention/preview":                      {admin, "?kind=frames&max_age_s=315360000", "", ""},
	"GET /v1/backups":                                {nobody, "", "", ""},
	"POST /v1/backups":                               {nobody, "", "application/json", `{"to": "tenants"}`},
	"GET /v1/backups/{id}":                           {nobody, "", "", ""},
	"GET /v1/erasures":                               {admin, "", "", ""},
	"POST /v1/erasures":                              {admin, "", "application/json", `{"sessions": ["only-alphaMark"], "dry_run": true}`},
	"GET /v1/erasures/{id}":                          {admin, "", "", ""},
	"GET /v1/login":                                  {anyone, "", "", ""},
	"POST /v1/login":                                 {anyone, "", "application/json", `{"token":"x"}`},
	"PATCH /v1/login":                                {anyone, "", "application/json", `{"tenant":"x"}`},
	"DELETE /v1/login":                               {anyone, "", "", ""},
	"GET /login/oidc":                                {anyone, "", "", ""},
	"GET /login/callback":                            {anyone, "", "", ""},
	"GET /v1/shares":                                 {raw, "", "", ""},
	"POST /v1/shares":                                {raw, "", "application/json", `{"session":"{id}"}`},
	"DELETE /v1/shares/{id}":                         {raw, "", "", ""},
	"POST /v1/tickets":                               {raw, "", "application/json", `{"path":"/v1/sessions/{id}/replay"}`},
	"GET /v1/dead-letters":                           {admin, "", "", ""},
	"DELETE /v1/dead-letters":                        {admin, "?seq={seq}", "", ""},
	"POST /v1/dead-letters/retry":                    {admin, "?seq={seq}", "", ""},
	"GET /healthz":                                   {anyone, "", "", ""},
	"GET /readyz":                                    {anyone, "", "", ""},
	"GET /debug/pprof/{profile}":                     {nobody, "", "", ""},
	"GET /metrics":                                   {nobody, "", "", ""},
	"GET /openapi.yaml":                              {anyone, "", "", ""},
}

const (
	alpha = "alphaMark"
	beta  = "betaMark"
)

// answersOtherwise has the statuses other than 200 with which routes answer a tenant that may use them.
var answersOtherwise = map[string]int{
	"GET /v1/ingest/ws": http.StatusUpgradeRequired, "GET /emulate/{id}": http.StatusNotFound, "GET /emulate/{id}/{path}": http.StatusNotFound,
	"GET /v1/sessions/{id}/emulation": http.StatusNoContent,
	"GET /v1/erasures/{id}":           http.StatusNotFound,
	"POST /mcp":                       http.StatusBadRequest,                                           // without what the protocol wants in Accept, see TestTools
	"GET /v1/bills/focus":             http.StatusNotFound,                                             // the other tenant alone has a bill of the month
	"GET /login/oidc":                 http.StatusNotFound, "GET /login/callback": http.StatusNotFound, // without a provider
}

// Every route × every kind of token × what is one's own, another tenant's and nobody's:
// refused as the table above says, and nothing of another tenant in any answer.
func TestEveryRoute(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	r := newRig(t)
	r.fill(beta, 2)
	r.fill(alpha, 1)
	r.limit(alpha)
	r.limit(beta)
	a := r.request(r.root, "POST", "/v1/prices?name=p.yaml", "application/yaml", fmt.Sprintf("margins:\n  - {name: of %[1]s, tenant: t-%[1]s, factor: 1.1}\n  - {name: of %[2]s, tenant: t-%[2]s, factor: 1.2}\n  - {name: both, tenant: [t-%[1]s, t-%[2]s], factor: 1.3}\n", alpha, beta))
	if a.code != 200 {
		t.Fatalf("import prices: %d %s", a.code, a.body)
	}
	betaToken, _, err := r.tokens.Create(t.Context(), access.Request{Name: "made of " + beta, Tenant: tenantOf(beta), Scopes: []access.Scope{access.Read}})
	r.must(err)
	a = r.request(r.token(tenantOf(beta), access.Admin), "POST", "/v1/shares", "application/json", `{"session":"only-`+beta+`"}`)
	var betaShare struct{ ID string }
	if err := json.Unmarshal([]byte(a.body), &betaShare); err != nil || a.code != http.StatusCreated {
		t.Fatalf("share a session: %d %s", a.code, a.body)
	}
	betaLetter := 1 // beta was filled first
	position := fmt.Sprint(items(t, r.request(r.token(tenantOf(alpha), access.ReadRaw), "GET", "/v1/sessions/only-"+alpha+"/frames", "", ""))[0]["position"])
	before := r.see(r.token(tenantOf(beta), access.Admin))

	doc, err := openapi3.NewLoader().LoadFromData(query.OpenAPI)
	r.must(err)
	var routes []string
	for path, item := range doc.Paths.Map() {
		for method := range item.Operations() {
			routes = append(routes, method+" "+path)
		}
	}
	slices.Sort(routes)
	for name := range probes {
		if !slices.Contains(routes, name) {
			t.Errorf("%s is tried and not documented", name)
		}
	}
	refusedTokens := map[string]string{
		"none": "", "malformed": "sk-ant-0123", "wrong checksum": "td_0123456789ABCDEFGHIJKLMNOPQRST3F6pAW",
		"unknown": "td_0123456789ABCDEFGHIJKLMNOPQRST3F6pAV", "revoked": r.revoked(), "expired": r.expired(),
	}
	tried := 0
	for _, name := range routes {
		p, known := probes[name]
		if !known {
			t.Errorf("%s is documented and has no scope in this test", name)
			continue
		}
		method, path, _ := strings.Cut(name, " ")
		// The ids of own, foreign and unknown things are equally long.
		targets := map[string]*strings.Replacer{}
		for target, v := range map[string][]string{
			"own":     {"only-" + alpha, "INV-000001", "key-" + alpha + "shared", "claude-sonnet-4-5", "0000000000", "2"},
			"shared":  {"shared", "INV-000001", "key-" + alpha + "shared", "claude-sonnet-4-5", "0000000000", "2"},
			"foreign": {"only-" + beta, "INV-000002", "key-" + beta + "shared", "model-" + beta, betaToken.ID, fmt.Sprint(betaLetter)},
			"unknown": {"only-nobMark", "INV-000009", "key-nobMarkshared", "model-nobMark", "zzzzzzzzzz", "9"},
		} {
			id := v[0]
			if strings.HasPrefix(path, "/v1/tokens/") {
				id = v[4]
			}
			if strings.HasPrefix(path, "/v1/shares/") {
				id = strings.Replace(v[4], betaToken.ID, betaShare.ID, 1)
			}
			targets[target] = strings.NewReplacer("{id}", id, "{exec_id}", id, "{number}", v[1], "{key}", v[2], "{model}", v[3], "{provider}", "anthropic",
				"{position}", position, "{kind}", "agents", "{path}", "v1/messages", "{note}", "01a2221c-6344-7c09-ba8b-9d346e25239c", "{label}", "x", "{profile}", "heap", "{seq}", v[5])
		}
		if !isByID(path+p.query) && path != "/v1/shares" { // there is one thing to ask for
			targets = map[string]*strings.Replacer{"own": targets["own"]}
		}
		send := func(token, target string, fields ...string) answer {
			tried++
			in := targets[target]
			if path == "/v1/login" { // pages of the server may ask it
				fields = append(fields, "Origin: "+r.first)
			}
			return r.request(token, method, in.Replace(path+p.query), p.media, in.Replace(p.body), fields...)
		}
		for kind, token := range refusedTokens {
			for target := range targets {
				a := send(token, target)
				if slices.Contains(p.may, "anyone") {
					if a.code == http.StatusUnauthorized || a.code == http.StatusForbidden {
						t.Errorf("%s, %s token: %d", name, kind, a.code)
					}
				} else if a.code != http.StatusUnauthorized || !strings.HasPrefix(a.header.Get("WWW-Authenticate"), "Bearer ") {
					t.Errorf("%s of %s, %s token: %d %q", name, target, kind, a.code, a.header.Get("WWW-Authenticate"))
				}
				leaks(t, name+" with token "+kind, a, alpha, beta)
			}
		}
		for _, scope := range access.Scopes {
			token := r.scoped(tenantOf(alpha), scope)
			allowed := slices.Contains(p.may, scope) || slices.Contains(p.may, "anyone")
			var answers = map[string]answer{}
			for _, target := range []string{"own", "shared", "foreign", "unknown"} {
				if (method == "DELETE" || strings.HasSuffix(path, "/retry")) && (target == "own" || target == "shared") && scope == access.Admin && strings.HasPrefix(path, "/v1/") {
					continue // it would remove what is compared below
				}
				if targets[target] == nil {
					continue
				}
				a := send(token, target)
				answers[target] = a
				if status := a.code; allowed && target == "own" && method == "GET" && status != http.StatusOK && status != answersOtherwise[name] {
					t.Errorf("%s of one's own with the scope %s: %d %s", name, scope, status, clip(a.body))
				}
				if refused := a.code == http.StatusUnauthorized || a.code == http.StatusForbidden; refused == allowed {
					t.Errorf("%s of %s with the scope %s: %d %s", name, target, scope, a.code, clip(a.body))
				}
				if name == "GET /v1/audit" && a.code == 200 { // it names what this tenant asked for
					for _, e := range items(t, a) {
						if e["tenant"] != tenantOf(alpha) {
							t.Errorf("%s: an entry of another tenant: %v", name, e)
						}
						a.body = strings.ReplaceAll(a.body, fmt.Sprintf(`"object":"%s"`, e["object"]), "")
					}
				}
				if target == "foreign" { // the id itself is in the question
					a.body = targets["foreign"].Replace(a.body)
					for _, v := range []string{"only-" + beta, "key-" + beta + "shared", "model-" + beta} {
						a.body = strings.ReplaceAll(a.body, v, "")
						for n := range a.header {
							a.header.Set(n, strings.ReplaceAll(a.header.Get(n), v, ""))
						}
					}
				}
				leaks(t, name+" of "+target+" with the scope "+string(scope), a, beta)
			}
			f, u := answers["foreign"], answers["unknown"]
			if same(f.body, betaToken.ID, betaShare.ID) != same(u.body) && isByID(path+p.query) || f.code != u.code {
				t.Errorf("%s with the scope %s answers differently for a session of another tenant and one that does not exist:\n%d %s\n%d %s", name, scope, f.code, clip(f.body), u.code, clip(u.body))
			}
		}
		// No header and no parameter leads to another tenant.
		token := r.scoped(tenantOf(alpha), access.Admin)
		if a := send(token, "own", "Tapedeck-Tenant: "+tenantOf(beta)); a.code != http.StatusForbidden && !slices.Contains(p.may, "anyone") {
			t.Errorf("%s of another tenant by header: %d", name, a.code)
		}
		if a := send(r.root, "own", "Tapedeck-Tenant: t-third"); a.code == http.StatusForbidden || a.code == http.StatusUnauthorized {
			t.Errorf("%s for all tenants: %d", name, a.code)
		}
	}
	if after := r.see(r.token(tenantOf(beta), access.Admin)); after != before {
		t.Errorf("what the other tenant sees has changed:\n%s\n%s", before, after)
	}
	t.Logf("%d requests to %d routes", tried, len(routes))
}

// leaks reports marks of tenants in an answer.
func leaks(t *testing.T, what string, a answer, marks ...string) {
	t.Helper()
	all := a.body
	for name, values := range a.header {
		all += name + strings.Join(values, " ")
	}
	for _, mark := range marks {
		if i := strings.Index(all, mark); i >= 0 {
			t.Errorf("%s: the answer %d holds %s: …%s", what, a.code, mark, clip(all[max(0, i-80):]))
		}
	}
}

// isByID reports whether a route is about one thing that a tenant may have or not.
func isByID(path string) bool { return strings.Contains(path, "{") }

// same leaves out of an answer what the question named, and times.
func same(body string, ids ...string) string {
	for _, id := range append(ids, "dead letter 1:", "dead letter 9:", "only-"+beta, "only-nobMark", "INV-000002", "INV-000009", "key-"+beta+"shared", "key-nobMarkshared", "model-"+beta, "model-nobMark", "zzzzzzzzzz") {
		body = strings.ReplaceAll(body, id, "ID")
	}
	var v map[string]any
	if json.Unmarshal([]byte(body), &v) == nil {
		delete(v, "at")
		delete(v, "stream_id")
		delete(v, "complete_to") // the time of the answer
		if text, err := json.Marshal(v); err == nil {
			return string(text)
		}
	}
	return body
}

func clip(text string) string { return text[:min(len(text), 300)] }

// scoped returns a token of a tenant with one scope, the same each time.
func (r *rig) scoped(tenant string, scope access.Scope) string {
	r.t.Helper()
	if r.made == nil {
		r.made = map[string]string{}
	}
	key := tenant + string(scope)
	if r.made[key] == "" {
		r.made[key] = r.token(tenant, scope)
	}
	return r.made[key]
}

func (r *rig) revoked() string {
	r.t.Helper()
	t, text, err := r.tokens.Create(r.t.Context(), access.Request{Name: "revoked", Tenant: tenantOf("x"), Scopes: []access.Scope{access.Admin}})
	r.must(err)
	_, err = r.tokens.Revoke(r.t.Context(), access.AllTenants, t.ID)
	r.must(err)
	return text
}

func (r *rig) expired() string {
	r.t.Helper()
	at := time.Now().Add(200 * time.Millisecond)
	_, text, err := r.tokens.Create(r.t.Context(), access.Request{Name: "expired", Tenant: tenantOf("x"), Scopes: []access.Scope{access.Admin}, ExpiresAt: &at})
	r.must(err)
	time.Sleep(time.Until(at)) // the token expires
	return text
}

// limit records a session of a tenant that states a limit of its account.
func (r *rig) limit(mark string) {
	r.t.Helper()
	admin := r.token(tenantOf(mark), access.Admin)
	line := `{"type":"rate_limit_event","rate_limit_info":{"status":"allowed","resetsAt":1785035400,"rateLimitType":"five_hour"},"session_id":"limits-` + mark + `"}` + "\n"
	a := r.request(admin, "POST", "/v1/ingest?dialect=claude-code&session=limits-"+mark, "application/x-ndjson", line)
	if a.code != http.StatusOK {
		r.t.Fatalf("record a limit: %d %s", a.code, a.body)
	}
	bounded.Until(r.t, "the limit can be read", func() bool {
		return strings.Contains(r.request(admin, "GET", "/v1/limits", "", "").body, mark)
	})
}

// see returns the answers about a tenant's data, and checks that they have it.
func (r *rig) see(token string) string {
	r.t.Helper()
	var all strings.Builder
	for _, path := range []string{
		"/v1/sessions/shared/frames", "/v1/sessions/shared/transcript", "/v1/sessions/shared", "/v1/sessions/only-" + beta, "/v1/sessions/shared/replay?speed=max",
		"/v1/tools", "/v1/limits", "/v1/calls?group_by=session", "/v1/compare?a=shared&b=only-" + beta, "/v1/facets", "/v1/streams?session=shared", "/v1/bills/INV-000002", "/v1/dead-letters", "/v1/prices/anthropic/claude-sonnet-4-5?at=2026-10-01",
	} {
		a := r.request(token, "GET", path, "", "")
		if a.code != 200 || !strings.Contains(a.body, beta) && !strings.Contains(a.body, "INV-000002") {
			r.t.Errorf("the tenant's own %s: %d %s", path, a.code, clip(a.body))
		}
		leaks(r.t, path, a, alpha)
		if path != "/v1/dead-letters" { // it is retried meanwhile
			fmt.Fprintf(&all, "%s %d\n", path, len(same(a.body)))
		}
	}
	return all.String()
}
