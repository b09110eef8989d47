package server

import (
	"net/http/httptest"
	"testing"

	"github.com/labstack/echo/v4"
)

// A path below /emulate/ names its session without the settings that follow, for the watch over deletions and for the
// audit log.
func TestEmulatedSession(t *testing.T) {
	for path, want := range map[string]string{
		"/emulate/demo":                             "demo",
		"/emulate/demo/v1/messages":                 "demo",
		"/emulate/demo;speed=max;take=emulate-1/v1": "demo",
		"/emulate/a%3Bb%2Fc;speed=2/v1;x=1":         "a;b/c",
		"/v1/sessions/a%3Bb%2Fc":                    "a;b/c",
		"/v1/sessions/a;b":                          "a;b",
	} {
		e := echo.New()
		var session, object string
		note := func(c echo.Context) (err error) {
			object = objectOf(c)
			session, err = sessionOf(c)
			return err
		}
		e.GET("/emulate/:id", note)
		e.GET("/emulate/:id/*", note)
		e.GET("/v1/sessions/:id", note)
		w := httptest.NewRecorder()
		e.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if w.Code != 200 || session != want || object != want {
			t.Errorf("%s: %d, session %q, object %q, want %q", path, w.Code, session, object, want)
		}
	}
}
