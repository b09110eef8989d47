package server

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/problem"
	"tapedeck/internal/quota"
)

// A request holds a slot of a semaphore until it ends, and a connection that outlives its request holds the slot
// until the connection ends. Other tenants are not refused.
func TestConcurrency(t *testing.T) {
	sem := quota.NewGate("streams", 0, 1)
	var kept func()
	var during []int
	ask := func(tenant string, inside func()) int {
		r := httptest.NewRequest(http.MethodPost, "/v1/ingest", nil)
		r = r.WithContext(access.With(r.Context(), access.Local(), tenant))
		c := echo.New().NewContext(r, httptest.NewRecorder())
		err := limited(always(sem), func(c echo.Context) error {
			if inside != nil {
				inside()
			}
			if tenant == "keeps" {
				kept = keepSlot(c.Request())
			}
			return nil
		})(c)
		if err == nil {
			return http.StatusOK
		}
		p, _ := problem.From(err)
		if p.Limit != "max-streams-per-tenant" || p.RetryAfter == 0 || !strings.Contains(p.Hint, "--max-streams-per-tenant") {
			t.Errorf("%+v", p)
		}
		return p.Status
	}
	if code := ask("a", func() { during = append(during, ask("a", nil), ask("b", nil)) }); code != 200 || during[0] != 429 || during[1] != 200 {
		t.Errorf("%d, meanwhile %v", code, during)
	}
	if code := ask("a", nil); code != 200 {
		t.Errorf("after the end: %d", code)
	}
	if first, second := ask("keeps", nil), ask("keeps", nil); first != 200 || second != 429 {
		t.Errorf("a connection that goes on: %d, then %d", first, second)
	}
	kept()
	if code := ask("keeps", nil); code != 200 {
		t.Errorf("after the connection: %d", code)
	}
}

// Followers, replays, exports and streams of alerts have semaphores of their own.
func TestWhichSemaphore(t *testing.T) {
	s := &Server{Options: Options{Concurrency: Concurrency{Replays: quota.NewGate("replays", 1, 0), Followers: quota.NewGate("followers", 1, 0), Exports: quota.NewGate("exports", 1, 0), AlertStreams: quota.NewGate("alert-streams", 1, 0)}}}
	for target, want := range map[string]*quota.Gate{"/r": s.Concurrency.Replays, "/r?follow=0": s.Concurrency.Replays, "/r?follow=1": s.Concurrency.Followers, "/r?follow=true": s.Concurrency.Followers} {
		if s.replayLimit(httptest.NewRequest(http.MethodGet, target, nil)) != want {
			t.Errorf("%s has another semaphore", target)
		}
	}
	for target, want := range map[string]*quota.Gate{"/u": nil, "/u?format=json": nil, "/u?format=csv": s.Concurrency.Exports} {
		if s.exportLimit(httptest.NewRequest(http.MethodGet, target, nil)) != want {
			t.Errorf("%s has another semaphore", target)
		}
	}
	for accept, want := range map[string]*quota.Gate{"application/json": nil, "text/event-stream": s.Concurrency.AlertStreams} {
		r := httptest.NewRequest(http.MethodGet, "/a", nil)
		r.Header.Set("Accept", accept)
		if s.alertLimit(r) != want {
			t.Errorf("%s has another semaphore", accept)
		}
	}
}
