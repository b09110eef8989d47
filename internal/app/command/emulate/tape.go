package emulate

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"tapedeck/ingest"
	"tapedeck/internal/apiclient"
	"tapedeck/internal/app/command/play"
	"tapedeck/internal/commandline"
	"tapedeck/internal/problem"
	"tapedeck/replay/emulate"
	"tapedeck/replay/emulate/router"
	"tapedeck/replay/tapefile"
)

// openTape opens a session of a tape file.
func (o *Options) openTape(ctx context.Context) (*Session, error) {
	f, err := tapefile.Open(o.Name, tapefile.Options{})
	if err != nil {
		return nil, err
	}
	session, err := play.OneSession(f, o.Name, o.Session)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if err := f.Break(); err != nil {
		o.Log.Warn("emulate: the tape file ends early", "file", o.Name, "error", err)
	}
	return o.playTape(ctx, f, session)
}

// cannotSpeak returns the error for a session of a file that cannot be played in a protocol. It
// names the file, and what can be done with it without a server.
func (o *Options) cannotSpeak(err error, session string) error {
	p, ok := problem.From(err)
	if !ok {
		return err
	}
	detail, hint := p.Detail, p.Hint
	if o.Session == "" {
		detail = strings.ReplaceAll(detail, fmt.Sprintf("Session %q", session), o.Name)
	}
	how := "record it with \"tapedeck record FILE\" and play that session"
	if play.IsTape(o.Name) {
		how = "play it with \"tapedeck play FILE\""
	}
	hint = strings.NewReplacer("play it with /v1/sessions/{id}/replay", how,
		"Play it with /v1/sessions/{id}/replay", strings.ToUpper(how[:1])+how[1:]).Replace(hint)
	return &apiclient.Error{Title: p.Title, Status: p.Status, Detail: detail, Hint: hint}
}

// playTape serves a session of a tape file. Closing the result closes the file.
func (o *Options) playTape(ctx context.Context, f *tapefile.File, session string) (*Session, error) {
	emulation := router.New(emulate.Options{Library: f, Logger: o.Log}, nil)
	if err := emulation.Speaks(ctx, ingest.DefaultTenant, session, o.Protocol); err != nil {
		return nil, errors.Join(o.cannotSpeak(err, session), f.Close())
	}
	prefix := o.prefix(session, "")
	return &Session{ID: session, protocol: o.Protocol, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		u, err := url.Parse(prefix + r.URL.EscapedPath())
		if err != nil {
			problem.Write(w, problem.BadParameter("path", "the path is not escaped as URLs are: "+err.Error()))
			return
		}
		u.RawQuery = r.URL.RawQuery
		inner := r.WithContext(r.Context())
		inner.URL = u
		emulation.Session(w, inner, ingest.DefaultTenant)
	}), close: func() { _ = f.Close() }}, nil // it was only read
}

// check returns an error for settings with which no session can be played.
func (o *Options) check() error {
	if _, err := new(emulate.Pacing).SplitSession(o.prefix("any", "")[len("/emulate/"):]); err != nil {
		wrong, _ := problem.From(err)
		return commandline.Errorf("--%s: %s", flagOf(wrong.Parameter), wrong.Detail)
	}
	return nil
}

// flagOf returns the flag that sets a setting.
func flagOf(setting string) string {
	if setting == "idle_limit" {
		return "idle-limit"
	}
	return setting
}
