package problem_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tapedeck/internal/problem"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestWrite(t *testing.T) {
	for _, tc := range []struct {
		name string
		p    *problem.Problem
		code int
		body string
		want map[string]string
	}{
		{
			name: "parameter",
			p:    problem.BadParameter("speed", `speed "fast" is not a number`, "0.1 to 1000", "max"),
			code: 400,
			body: `{"title":"Parameter not valid","status":400,"detail":"speed \"fast\" is not a number","parameter":"speed","allowed":["0.1 to 1000","max"]}`,
		},
		{
			name: "busy",
			p:    &problem.Problem{Status: 503, Detail: "full", Hint: "come again", RetryAfter: 1500 * time.Millisecond},
			code: 503,
			body: `{"title":"Service Unavailable","status":503,"detail":"full","hint":"come again"}`,
			want: map[string]string{"Retry-After": "2"},
		},
		{
			name: "nothing said",
			p:    &problem.Problem{},
			code: 500,
			body: `{"title":"Internal Server Error","status":500}`,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rec := httptest.NewRecorder()
			rec.Header().Set("Content-Length", "1")
			problem.Write(rec, tc.p)
			if rec.Code != tc.code || rec.Body.String() != tc.body+"\n" {
				t.Errorf("got %d %s", rec.Code, rec.Body)
			}
			if !json.Valid(rec.Body.Bytes()) {
				t.Error("not valid JSON")
			}
			if got := rec.Header().Get("Content-Type"); got != problem.ContentType {
				t.Errorf("Content-Type %q", got)
			}
			if rec.Header().Get("Content-Length") != "" {
				t.Error("the length of something else is still there")
			}
			for k, v := range tc.want {
				if got := rec.Header().Get(k); got != v {
					t.Errorf("%s: %q, want %q", k, got, v)
				}
			}
		})
	}
}

func TestFrom(t *testing.T) {
	own := problem.NotFound("no session s")
	if p, ok := problem.From(fmt.Errorf("open: %w", own)); !ok || p != own {
		t.Errorf("got %v %v, want the wrapped problem", p, ok)
	}
	p, ok := problem.From(errors.New("password=hunter2 refused"))
	if ok || p.Status != http.StatusInternalServerError {
		t.Errorf("got %v %v, want a bare 500", p, ok)
	}
	if got := p.Error(); got != "Internal Server Error: The server failed to answer this request; its log says why." {
		t.Errorf("the client would read %q", got)
	}
}

func TestOneOf(t *testing.T) {
	for want, list := range map[string][]string{"": nil, "a": {"a"}, "a or b": {"a", "b"}, "a, b or c": {"a", "b", "c"}} {
		if got := problem.OneOf(list...); got != want {
			t.Errorf("OneOf(%q) = %q, want %q", list, got, want)
		}
	}
}

// What stands between angle brackets is read by people as it is.
func TestPlainText(t *testing.T) {
	p := problem.BadParameter("from", `"x" & "y" are no places`, "type:<frame type>")
	if text := string(p.Append([]byte("data: "))); !strings.HasPrefix(text, `data: {"title"`) ||
		!strings.Contains(text, `"type:<frame type>"`) || !strings.Contains(text, ` & `) || strings.HasSuffix(text, "\n") {
		t.Errorf("%q", text)
	}
}

// A request ends with the reason that ended it; without one its client disconnected.
func TestEnded(t *testing.T) {
	for name, tc := range map[string]struct {
		cause error
		want  int
	}{
		"the client disconnected":     {nil, problem.StatusClientLeft},
		"the server is shutting down": {problem.ErrStopping, http.StatusServiceUnavailable},
		"tokens cannot be checked":    {fmt.Errorf("%w", problem.ErrUnchecked), http.StatusServiceUnavailable},
		"the login ended":             {errors.New("revoked"), http.StatusUnauthorized},
		"the token was revoked":       {fmt.Errorf("revoked: %w", &problem.Problem{Status: http.StatusUnauthorized}), http.StatusUnauthorized},
	} {
		life, end := context.WithCancelCause(t.Context())
		request, leave := context.WithCancel(life)
		if tc.cause == nil {
			leave()
		}
		end(tc.cause)
		if got := problem.Ended(request); got.Status != tc.want {
			t.Errorf("%s: status %d, want %d", name, got.Status, tc.want)
		}
		leave()
	}
}
