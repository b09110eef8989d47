package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"time"

	"tapedeck/internal/console"
	"tapedeck/query"
	"tapedeck/query/sessionstreams"
)

// knownError reports that a recording of the same bytes exists.
type knownError struct {
	source string
	digest string
	stored sessionstreams.InSession
}

// Error implements error.
func (e *knownError) Error() string {
	return fmt.Sprintf("%s: these bytes are session %s already, recorded %s", e.source, e.stored.SessionID,
		console.LocalTime(e.stored.Stream.FirstAt))
}

// report prints which session has the bytes. The command then succeeds.
func (e *knownError) report(g *global) error {
	if g.JSON {
		return json.NewEncoder(os.Stdout).Encode(map[string]any{"digest": e.digest, "known": e.stored})
	}
	w := console.To(os.Stderr)
	fmt.Fprintf(w, "%s\n", e)
	fmt.Fprintf(w, "stream   %s\n", e.stored.Stream.ID)
	fmt.Fprintf(w, "next     tapedeck show %s, or record them once more with --again\n", console.SessionWord(e.stored.SessionID))
	return nil
}

// lookUpTimeout bounds how long a recording waits for the answer.
const lookUpTimeout = 5 * time.Second

// lookUp returns a function that queries the server for a recording of the bytes with a
// digest; its error is a *knownError if there is one. It returns nil with --again, and
// with --nats, without a tapedeck server. If the server does not
// answer, the file is recorded.
func (c *recordCommand) lookUp(ctx context.Context, g *global, path string) func(digest string) error {
	if c.Again || c.NATS != "" {
		return nil
	}
	return func(digest string) error {
		api, err := g.client()
		if err != nil {
			return err
		}
		asking, cancel := context.WithTimeout(ctx, lookUpTimeout)
		defer cancel()
		var page query.Page[sessionstreams.InSession]
		err = api.Get(asking, "v1/streams", url.Values{"digest": {digest}, "limit": {"1"}}, &page)
		if err != nil || len(page.Items) == 0 {
			return ctx.Err()
		}
		return &knownError{path, digest, page.Items[0]}
	}
}
