package tenants

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	njs "github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/ingest/redact"
	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/app/auth/login"
	"tapedeck/internal/app/node"
	"tapedeck/internal/app/server"
	"tapedeck/internal/bounded"
	"tapedeck/internal/budget"
	"tapedeck/internal/local/broker"
	"tapedeck/internal/local/localtest"
	"tapedeck/schema/clickhouse"
)

// rig is two servers with tokens on one NATS and one ClickHouse. The second has the role
// api only.
type rig struct {
	t      *testing.T
	broker *broker.Server
	dsn    string
	first  string // URL
	second string
	tokens *access.Store // of the first
	other  *access.Store // of the second
	root   string        // a token for all tenants
	client *http.Client
	login  login.Settings
	rules  *redact.Engine    // for secrets; nil for the default ones
	made   map[string]string // tokens of scoped
}

func newRig(t *testing.T) *rig {
	t.Helper()
	return newRigWith(t, nil)
}

// newRigWith is newRig with rules for secrets.
func newRigWith(t *testing.T, rules *redact.Engine) *rig {
	t.Helper()
	r := &rig{t: t, rules: rules, login: login.Settings{Life: time.Hour, Idle: time.Hour}, broker: localtest.Broker(t, broker.Options{}), dsn: localtest.ClickHouse(t)}
	r.client = &http.Client{Timeout: bounded.Limit, Transport: &http.Transport{}}
	t.Cleanup(r.client.CloseIdleConnections)
	db, err := clickhouse.Open(r.dsn)
	r.must(err)
	defer db.Close()
	_, err = clickhouse.Migrate(t.Context(), db)
	r.must(err)
	r.first, r.tokens = r.serve(node.Roles{Ingest: true, Sink: true, API: true}, 0)
	r.second, r.other = r.serve(node.Roles{API: true}, secondAge)
	_, r.root, err = r.tokens.Create(t.Context(), access.Request{Name: "root", Tenant: access.AllTenants, Scopes: []access.Scope{access.Admin}})
	r.must(err)
	return r
}

func (r *rig) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// secondAge is how long the second server checks tokens without NATS.
const secondAge = 4 * time.Second

// serve starts a server that ends with the test.
func (r *rig) serve(roles node.Roles, age time.Duration) (string, *access.Store) {
	r.t.Helper()
	log := slog.New(slog.DiscardHandler)
	n, err := node.Start(r.t.Context(), node.Config{
		Roles: roles, Connect: func(o ...nats.Option) (*nats.Conn, error) { return r.broker.Connect(o...) }, DSN: r.dsn,
		SpoolDir: r.t.TempDir(), Streams: jetstream.Config{MaxBytes: 1 << 28}, Version: "test", Redact: r.rules, Log: log,
	})
	r.must(err)
	guards, err := server.OpenGuards(server.GuardOptions{NATS: n.NATS, MaxAge: age, Login: r.login, Audit: n.Audit, Log: log})
	r.must(err)
	guards.Ready(nil, nil)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	r.must(err)
	s := server.New(server.Options{
		Node: n, Listener: l, Log: log, Guards: guards, QuietAfter: time.Minute, Readers: budget.New(budget.Options{Bytes: 1 << 30, Readers: 2000}),
	})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx, &server.StopClock{}, nil) }()
	r.t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			r.t.Error(err)
		}
	})
	return s.URL(), guards.Tokens
}

// token makes a token.
func (r *rig) token(tenant string, scopes ...access.Scope) string {
	r.t.Helper()
	_, text, err := r.tokens.Create(r.t.Context(), access.Request{Name: "of " + tenant, Tenant: tenant, Scopes: scopes})
	r.must(err)
	return text
}

// answer is an answer as a client sees it.
type answer struct {
	code   int
	header http.Header
	body   string
}

// request sends a request to the first server. fields are "Name: value".
func (r *rig) request(token, method, path, media, body string, fields ...string) answer {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), method, r.first+path, bytes.NewReader([]byte(body)))
	r.must(err)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	if media != "" {
		req.Header.Set("Content-Type", media)
	}
	for _, f := range fields {
		name, value, _ := strings.Cut(f, ": ")
		req.Header.Set(name, value)
	}
	resp, err := r.client.Do(req)
	r.must(err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatalf("%s %s: %v", method, path, err)
	}
	return answer{resp.StatusCode, resp.Header, string(text)}
}

// tenantOf has the marker in its name, and so has all that is recorded for it.
func tenantOf(mark string) string { return "t-" + mark }

// call is a stream of Anthropic's API that has the marker in its model, text and tool.
func call(mark string) string {
	return strings.ReplaceAll(`event: message_start
data: {"type":"message_start","message":{"id":"msg_MARK","type":"message","role":"assistant","model":"model-MARK","content":[],"stop_reason":null,"usage":{"input_tokens":1000,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"the secret of MARK"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_MARK","name":"tool-MARK","input":{}}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":50}}

event: message_stop
data: {"type":"message_stop"}

`, "MARK", mark)
}

// fill records sessions of a tenant: one whose id both tenants have, and one of its own. It
// closes bills and sets a block aside.
func (r *rig) fill(mark string, bills int) {
	r.t.Helper()
	tenant := tenantOf(mark)
	admin := r.token(tenant, access.Admin)
	for _, session := range []string{"shared", "only-" + mark} {
		a := r.request(admin, "POST", "/v1/ingest?dialect=anthropic-messages&session="+session+"&tag=customer:"+mark, "text/event-stream", call(mark), "Idempotency-Key: key-"+mark+session)
		if a.code != 200 {
			r.t.Fatalf("record %s: %d %s", session, a.code, a.body)
		}
		bounded.Until(r.t, "the recording can be read", func() bool {
			return strings.Contains(r.request(admin, "GET", "/v1/sessions/"+session, "", "").body, `"status":"ok"`)
		})
	}
	for i := range bills {
		a := r.request(admin, "POST", fmt.Sprintf("/v1/bills?period=2020-%02d", i+1), "", "")
		if a.code/100 != 2 {
			r.t.Fatalf("close a bill: %d %s", a.code, a.body)
		}
	}
	nc, err := r.broker.Connect()
	r.must(err)
	defer nc.Close()
	js, err := njs.New(nc)
	r.must(err)
	_, err = js.PublishMsg(r.t.Context(), &nats.Msg{Subject: jetstream.DeadSubject, Data: []byte("not a block"), Header: nats.Header{
		jetstream.HeaderReason: {"reason of " + mark}, jetstream.HeaderSubject: {ingest.Subject(tenant, "dead-"+mark)},
	}})
	r.must(err)
}

// items returns the items of a list.
func items(t *testing.T, a answer) []map[string]any {
	t.Helper()
	var page struct{ Items []map[string]any }
	if err := json.Unmarshal([]byte(a.body), &page); err != nil {
		t.Fatalf("%v: %s", err, a.body)
	}
	return page.Items
}
