package server

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"tapedeck"
	"tapedeck/dashboards"
	"tapedeck/internal/app/auth/audit"
	"tapedeck/internal/app/command/sessionhtml"
	"tapedeck/internal/problem"
)

// uiPaths are the addresses of the pages and of the files that they load. Other addresses without a
// route are answered with a problem, which a browser receives as a page.
var uiPaths = []string{"/", "/sessions/*", "/usage", "/usage/reconciliation", "/bills", "/prices", "/tools",
	"/calls", "/search", "/compare", "/retention", "/record", "/audit", "/login", "/access", "/share", "/tag",
	"/assets/*"}

// playerPath is the address of the script that plays a recording inside another page.
const playerPath = "/player.js"

func (s *Server) uiRoutes(rt *routeTable) {
	s.ui = dashboards.New()
	rt.add([]row{{public, audit.None, getHead, playerPath, nil, player}})
	for _, path := range uiPaths {
		rt.add([]row{{public, audit.None, getHead, path, nil, echo.WrapHandler(s.ui)}}) // the program, without data
	}
}

// script is a script as it is sent.
type script struct {
	text []byte
	etag string
}

// playerScript is player.js. It is made when it is first requested.
var playerScript = sync.OnceValues(func() (script, error) {
	var b bytes.Buffer
	err := sessionhtml.WriteScript(&b, tapedeck.Version())
	sum := sha256.Sum256(b.Bytes())
	return script{b.Bytes(), `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`}, err
})

// player answers with player.js, which pages of other sites may load: it is the program, without data.
func player(c echo.Context) error {
	js, err := playerScript()
	if errors.Is(err, sessionhtml.ErrNoPlayer) {
		return problem.NotFound(err.Error() + `: run "make build"`)
	}
	if err != nil {
		return err
	}
	header := c.Response().Header()
	header.Set("Access-Control-Allow-Origin", "*")
	header.Set("Cache-Control", "no-cache")
	header.Set("Content-Type", "text/javascript; charset=utf-8")
	header.Set("Cross-Origin-Resource-Policy", "cross-origin")
	header.Set("ETag", js.etag)
	header.Set("X-Content-Type-Options", "nosniff")
	http.ServeContent(c.Response(), c.Request(), "player.js", time.Time{}, bytes.NewReader(js.text))
	return nil
}

// wantsPage reports whether a browser requests a page.
func wantsPage(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.HasPrefix(r.Header.Get("Accept"), "text/html")
}
