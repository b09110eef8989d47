package server

import (
	"fmt"
	"net/http"
	"net/http/pprof"
	"slices"
	"strconv"

	"github.com/labstack/echo/v4"

	"tapedeck/internal/problem"
)

// profiles lists the profiles under /debug/pprof.
var profiles = []string{"profile", "trace", "heap", "allocs", "goroutine", "block", "mutex", "threadcreate"}

// longestProfile bounds the duration of a profile or a trace, in seconds: a trace of a
// busy server grows by megabytes per second.
const longestProfile = 60

// serveProfile answers /debug/pprof/{profile} in the format of "go tool pprof".
// docs/profiling.md describes how to take one.
func (s *Server) serveProfile(c echo.Context) error {
	w, r := c.Response(), c.Request()
	if !s.Pprof {
		return &problem.Problem{
			Title: "Profiles are off", Status: http.StatusNotFound,
			Detail: "This server does not serve profiles of its process.", Hint: "Start it with --pprof.",
		}
	}
	if v := r.URL.Query().Get("seconds"); v != "" {
		if n, err := strconv.Atoi(v); err != nil || n < 1 || n > longestProfile {
			return problem.BadParameter("seconds", fmt.Sprintf("%q is not a number from 1 to %d", v, longestProfile),
				fmt.Sprintf("1 to %d", longestProfile))
		}
	}
	name := c.Param("profile")
	if !slices.Contains(profiles, name) {
		return &problem.Problem{
			Status: http.StatusNotFound, Detail: "There is no profile \"" + name + "\".", Allowed: profiles,
			Hint: "/debug/pprof/profile?seconds=10 takes one of the processors.",
		}
	}
	switch name {
	case "profile":
		pprof.Profile(w, r)
	case "trace":
		pprof.Trace(w, r)
	default:
		pprof.Handler(name).ServeHTTP(w, r)
	}
	return nil
}
