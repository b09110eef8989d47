package emulate

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"tapedeck/internal/problem"
	"tapedeck/replay/player"
)

// Pacing configures how a recording is played and how answers are chosen from it. The
// zero value plays at the recorded speed, from the start, in the recorded order.
type Pacing struct {
	Speed     player.Speed  // 0 means player.Normal
	IdleLimit time.Duration // the longest silence, in recorded time; 0 for no limit
	// From is the place where playing starts; nil for the start of the recording.
	From *player.Mark
	// Take names one run through the recording. Takes are independent: each starts with the first
	// recorded answer.
	Take string
	// MatchBody plays the recorded answer to a request with the same body, instead of the next
	// answer in order.
	MatchBody bool
	// End selects the answer after the last recorded one; "" means the server's default.
	End End
}

// End selects the answer after the last recorded one.
type End string

// The values of End.
const (
	Stop  End = "stop"  // an error
	Again End = "again" // the first
	Last  End = "last"  // the last once more
)

// Parameters lists the names that Set accepts.
var Parameters = []string{"speed", "idle_limit", "from", "take", "match", "end"}

// Set reads one parameter; an empty value leaves the default. The error is a
// *problem.Problem.
func (p *Pacing) Set(name, value string) error {
	if value == "" {
		return nil
	}
	var err error
	var allowed []string
	switch name {
	case "speed":
		allowed = []string{player.SpeedAllowed}
		p.Speed, err = player.ParseSpeed(value)
	case "idle_limit":
		allowed = []string{"a duration above zero such as 2s"}
		if p.IdleLimit, err = time.ParseDuration(value); err == nil && p.IdleLimit <= 0 {
			err = errors.New("the longest silence must be above zero")
		}
	case "from":
		allowed = player.MarkAllowed
		var m player.Mark
		m, err = player.ParseMark(value)
		p.From = &m
	case "take":
		allowed = []string{"a name of at most 128 bytes"}
		if p.Take = value; len(value) > 128 {
			err = errors.New("the name of the take is too long")
		}
	case "match":
		allowed = []string{"order", "body"}
		p.MatchBody, err = value == "body", oneOf(value, allowed)
	case "end":
		allowed = []string{string(Stop), string(Again), string(Last)}
		p.End, err = End(value), oneOf(value, allowed)
	default:
		err = fmt.Errorf("there is no parameter %q", name)
		allowed = Parameters
	}
	if err != nil {
		return problem.BadParameter(name, err.Error(), allowed...)
	}
	return nil
}

func oneOf(v string, allowed []string) error {
	if !slices.Contains(allowed, v) {
		return fmt.Errorf("%q is not %s", v, problem.OneOf(allowed...))
	}
	return nil
}

// SplitSession separates settings from a path segment: "demo;speed=max;take=a" is the session demo
// with two settings. It is for clients that are configured with a base URL and build their own
// addresses. A semicolon in a session's id is escaped as %3B. segment is still escaped, as in the
// URL.
func (p *Pacing) SplitSession(segment string) (session string, err error) {
	name, settings, _ := strings.Cut(segment, ";")
	if session, err = url.PathUnescape(name); err != nil {
		return "", problem.BadParameter("session",
			"the session id in the path is not escaped as URLs are: "+err.Error())
	}
	for pair := range strings.SplitSeq(settings, ";") {
		if pair == "" {
			continue
		}
		key, value, _ := strings.Cut(pair, "=")
		if value, err = url.PathUnescape(value); err != nil {
			return "", problem.BadParameter(key, "it is not escaped as URLs are: "+err.Error())
		}
		if err := p.Set(key, value); err != nil {
			return "", err
		}
	}
	return session, nil
}

// SetAll reads the settings in a URL's query. others lists further parameters of the server. Any
// other parameter is an error, so that a misspelt parameter is noticed.
func (p *Pacing) SetAll(q url.Values, others ...string) error {
	for name, values := range q {
		switch {
		case slices.Contains(Parameters, name):
			if err := p.Set(name, values[0]); err != nil {
				return err
			}
		case name == "tenant", slices.Contains(others, name):
		default:
			return problem.BadParameter(name, fmt.Sprintf("there is no parameter %q here", name),
				append(others, Parameters...)...)
		}
	}
	return nil
}
