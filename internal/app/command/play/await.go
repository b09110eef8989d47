package play

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"tapedeck/internal/apiclient"
	"tapedeck/internal/console"
	"tapedeck/internal/problem"
)

// Await waits until the session to follow exists, and writes a note while it waits.
func (p *Player) Await(ctx context.Context, path string, notes io.Writer) error {
	for reported := false; ; reported = true {
		body, err := p.Client.Open(ctx, http.MethodGet, path, url.Values{"follow": {"1"}, "speed": {"max"}},
			"application/x-ndjson")
		e, ok := errors.AsType[*apiclient.Error](err)
		if !ok || e.Status != http.StatusNotFound && e.Title != problem.SessionDeleted {
			if err != nil {
				return err
			}
			return body.Close()
		}
		if !reported {
			fmt.Fprintf(console.To(notes), "waiting for session %q to begin; end with Ctrl-C\n", p.Session)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(500 * time.Millisecond):
		}
	}
}

// OpenNoting is like Open. It writes a note if a tape file ends early.
func OpenNoting(notes io.Writer, name, session string, server func() (*apiclient.Client, error)) (*Player, error) {
	p, err := Open(name, session, server)
	if err == nil && p.Break != nil {
		fmt.Fprintf(console.To(notes), "note     %s: %v\n", name, p.Break)
	}
	return p, err
}
