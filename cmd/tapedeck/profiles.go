package main

import (
	"net/http"
	"net/http/pprof"
	"slices"

	"github.com/labstack/echo/v4"

	"tapedeck/schema/problem"
)

// profiles are what can be asked for under /debug/pprof.
var profiles = []string{"profile", "trace", "heap", "allocs", "goroutine", "block", "mutex", "threadcreate"}

// serveProfile answers /debug/pprof/{profile} in the format of "go tool pprof".
// docs/profiling.md says how to take one.
func serveProfile(c echo.Context) error {
	w, r := c.Response(), c.Request()
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
