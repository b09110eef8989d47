package tenants

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/speedtest"
)

// open starts a request that goes on, and returns its answer's status and a channel that is
// closed when it ends. fields are "Name: value".
func (r *rig) open(url, token string, body io.Reader, method string, fields ...string) (int, <-chan struct{}) {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), method, url, body)
	r.must(err)
	req.Header.Set("Authorization", "Bearer "+token)
	for _, f := range fields {
		name, value, _ := strings.Cut(f, ": ")
		req.Header.Set(name, value)
	}
	resp, err := (&http.Client{Transport: r.client.Transport}).Do(req)
	r.must(err)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer resp.Body.Close()
		_, _ = io.Copy(io.Discard, resp.Body)
	}()
	return resp.StatusCode, ended
}

// A token that is revoked on one server ends what runs with it on both, and opens nothing.
func TestRevokedOnBothServers(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	tenant := tenantOf(alpha)
	recorder, recorderText, err := r.tokens.Create(t.Context(), access.Request{Name: "recorder", Tenant: tenant, Scopes: []access.Scope{access.Record}})
	r.must(err)
	reader, readerText, err := r.tokens.Create(t.Context(), access.Request{Name: "reader", Tenant: tenant, Scopes: []access.Scope{access.ReadRaw}})
	r.must(err)
	ctx, cancel := context.WithTimeout(t.Context(), bounded.Limit)
	defer cancel()
	header := http.Header{"Authorization": {"Bearer " + recorderText}}
	conn, _, err := websocket.Dial(ctx, r.first+"/v1/ingest/ws?session=running&dialect=generic", &websocket.DialOptions{HTTPHeader: header})
	r.must(err)
	defer conn.CloseNow()
	r.must(conn.Write(ctx, websocket.MessageText, []byte(`{"a":1}`)))
	bounded.Until(t, "the session shows", func() bool {
		return r.request(readerText, "GET", "/v1/sessions/running", "", "").code == 200
	})
	bounded.Until(t, "the second server knows the token", func() bool {
		req, err := http.NewRequestWithContext(ctx, "GET", r.second+"/v1/sessions/running", nil)
		r.must(err)
		req.Header.Set("Authorization", "Bearer "+readerText)
		resp, err := r.client.Do(req)
		r.must(err)
		resp.Body.Close()
		return resp.StatusCode == 200
	})
	var follows []<-chan struct{}
	for _, server := range []string{r.first, r.second} {
		code, ended := r.open(server+"/v1/sessions/running/replay?follow=1", readerText, nil, "GET")
		if code != 200 {
			t.Fatalf("%s replays with %d", server, code)
		}
		follows = append(follows, ended)
		code, ended = r.open(server+"/v1/alerts", readerText, nil, "GET", "Accept: text/event-stream")
		if code != 200 {
			t.Fatalf("%s streams alerts with %d", server, code)
		}
		follows = append(follows, ended)
	}
	select {
	case <-follows[0]:
		t.Fatal("following a running session ended by itself")
	case <-follows[1]:
		t.Fatal("a stream of alerts ended by itself")
	case <-time.After(300 * time.Millisecond):
	}
	began := time.Now()
	if a := r.request(r.root, "DELETE", "/v1/tokens/"+reader.ID, "", ""); a.code != 200 || strings.Contains(a.body, readerText) {
		t.Fatalf("revoke: %d %s", a.code, a.body)
	}
	for _, ended := range follows {
		bounded.Receive(t, ended)
	}
	if a := r.request(recorderText, "GET", "/v1/sessions/running", "", ""); a.code != 403 {
		t.Errorf("another token: %d", a.code)
	}
	if a := r.request(r.root, "DELETE", "/v1/tokens/"+recorder.ID, "", ""); a.code != 200 {
		t.Fatalf("revoke: %d %s", a.code, a.body)
	}
	for {
		if _, _, err = conn.Read(ctx); err != nil {
			break
		}
	}
	if websocket.CloseStatus(err) != websocket.StatusPolicyViolation {
		t.Errorf("the recorded WebSocket ended with %v", err)
	}
	t.Logf("all ended %v after the first revocation", time.Since(began))
	for _, server := range []string{r.first, r.second} {
		if code, _ := r.open(server+"/v1/sessions/running/replay?follow=1", readerText, nil, "GET"); code != 401 {
			t.Errorf("%s with the revoked token: %d", server, code)
		}
	}
}

// Without NATS a server answers for as long as its copy is young enough, and then 503; its
// health is asked without a token.
func TestNATSAway(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	r := newRig(t)
	r.first = r.second
	token := r.token(tenantOf(alpha), access.Read)
	bounded.Until(t, "the second server knows the token", func() bool { return r.request(token, "GET", "/v1/facets", "", "").code == 200 })
	r.must(r.broker.Stop(t.Context()))
	stopped := time.Now()
	if a := r.request(token, "GET", "/v1/facets", "", ""); a.code != 200 {
		t.Errorf("right after NATS went: %d %s", a.code, a.body)
	}
	var a answer
	bounded.Until(t, "tokens cannot be checked", func() bool {
		a = r.request(token, "GET", "/v1/facets", "", "")
		return a.code != 200
	})
	took := time.Since(stopped)
	if a.code != 503 || a.header.Get("Retry-After") == "" {
		t.Errorf("after %v: %d %q %s", took, a.code, a.header.Get("Retry-After"), a.body)
	}
	speedtest.Within(t, "the first refusal without NATS", took, secondAge+2*time.Second)
	if a := r.request("", "GET", "/v1/facets", "", ""); a.code != 401 {
		t.Errorf("without a token: %d", a.code)
	}
	if a := r.request("", "GET", "/healthz", "", ""); a.code != 200 {
		t.Errorf("/healthz: %d", a.code)
	}
	if a := r.request("", "GET", "/readyz", "", ""); a.code != 503 || !strings.Contains(a.body, `"checks":[]`) {
		t.Errorf("/readyz: %d %s", a.code, a.body)
	}
}
